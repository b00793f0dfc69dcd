import { type RawBuilder, sql } from 'kysely';
import type { Filter } from '../../../documents/filter.ts';
import type { Counted, DocumentFacets, MetadataFacet, MetadataValue } from '../../corpus.ts';
import type { Database } from '../database.ts';
import type { FilterSql, SqlValue } from '../filters/filter-sql.ts';
import { filterToSql } from '../filters/to-sql.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** A key with more values than this describes single documents rather than offering a choice. */
const MAX_VALUES = 12;
const MAX_KEYS = 8;
/** Longer texts are not offered. */
const MAX_LENGTH = 80;
/** Keys that the file readers set, which make poor filters. */
const NOT_OFFERED = ['version', 'failure', 'title', 'document_type', 'page_count', 'row_count', 'entry_count'];

/** Counts of types, collections and metadata values over all documents with visible chunks that pass the filter. */
export function readFacets({ reader, search }: Database, filter: Filter): Promise<DocumentFacets> {
  const { filters } = search.dialect;
  const matches = sql`d.generation > 0 AND ${filterToSql(filter, 'document', filters)}`;
  // One transaction reads one state of the database, so that the counts agree.
  return reader.transaction().execute(async (transaction) => {
    const types = await sql<Counted<string>>`
      SELECT d.type AS value, count(*) AS count FROM documents AS d WHERE ${matches}
      GROUP BY d.type ORDER BY count DESC, value`.execute(transaction);
    // Not a join: with statistics from a time of few documents, SQLite scans all documents for each membership.
    const collections = await sql<Counted<string>>`
      SELECT m.collection_id AS value, count(*) AS count FROM document_collections AS m
      WHERE m.document_key IN (SELECT d.key FROM documents AS d WHERE ${matches})
      GROUP BY m.collection_id ORDER BY count DESC, value`.execute(transaction);
    return {
      documents: types.rows.reduce((sum, { count }) => sum + count, 0),
      types: types.rows,
      collections: collections.rows,
      metadata: await metadataFacets(transaction, matches, filters),
    };
  });
}

interface ValueRow {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean';
  readonly value: string | number;
  readonly count: number;
}

/** Keys with few values, at least one of which occurs more than once. Each list member counts once per document. */
async function metadataFacets(
  transaction: Queries,
  matches: RawBuilder<unknown>,
  filters: FilterSql,
): Promise<readonly MetadataFacet[]> {
  const scalar = ({ type, value }: SqlValue) =>
    sql`(${type} IN ('integer', 'real', 'true', 'false')
      OR (${type} = 'text' AND length(${value}) BETWEEN 1 AND ${sql.lit(MAX_LENGTH)}))`;
  const kind = ({ type }: SqlValue) =>
    sql`CASE ${type} WHEN 'text' THEN 'text' WHEN 'true' THEN 'boolean' WHEN 'false' THEN 'boolean' ELSE 'number' END`;
  const { from, key, member: own } = filters.members(sql`d.metadata`, 'e');
  const { from: list, element } = filters.elements(own, 'i');
  const { rows } = await sql<ValueRow>`
    WITH found AS (
      SELECT ${key} AS name, ${kind(own)} AS kind, ${own.value} AS value, d.key AS document
      FROM documents AS d, ${from} WHERE ${matches} AND ${scalar(own)}
      UNION ALL
      SELECT DISTINCT ${key}, ${kind(element)}, ${element.value}, d.key
      FROM documents AS d, ${from}, ${list} WHERE ${matches} AND ${scalar(element)}
    ),
    counted AS (
      SELECT name, kind, value, count(*) AS count FROM found
      WHERE name NOT IN (${sql.join(NOT_OFFERED)}) GROUP BY name, kind, value
    ),
    offered AS (
      SELECT name, sum(count) AS total FROM counted GROUP BY name
      HAVING count(*) <= ${sql.lit(MAX_VALUES)} AND max(count) > 1
      ORDER BY total DESC, name LIMIT ${sql.lit(MAX_KEYS)}
    )
    SELECT name, kind, value, count FROM counted JOIN offered USING (name)
    ORDER BY total DESC, name, count DESC, value`.execute(transaction);
  return [...Map.groupBy(rows, ({ name }) => name)].map(([key, values]) => ({
    key,
    values: values.map((row) => ({ value: typedValue(row), count: row.count })).sort(byCount),
  }));
}

/** Values arrive as SQLite values, or as JSON text. */
function typedValue({ kind, value }: ValueRow): MetadataValue {
  if (kind === 'boolean') return value === 1 || value === 'true';
  return kind === 'number' ? Number(value) : value;
}

type CountedValue = MetadataFacet['values'][number];

/** Most frequent first, then numbers in numeric order; the query has already sorted other values. */
const byCount = (one: CountedValue, two: CountedValue): number =>
  two.count - one.count || (typeof one.value === 'number' && typeof two.value === 'number' ? one.value - two.value : 0);
