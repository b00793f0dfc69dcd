import { type RawBuilder, sql } from 'kysely';
import type { PastFilter } from '../../sql/search/compile-filter.ts';
import { DOCUMENTS_AS_OF, PAST_DOCUMENTS, VERSION_CHUNKS } from '../../sql/search/past-tables.ts';
import type { DocumentAsOf } from '../../sql/search/terms-as-of.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { numbers } from '../array-values.ts';
import { readKeys, toRaw } from './conditions.ts';
import type { StatisticsScope, TermSource } from './read-terms.ts';
import type { StateQueries } from './reading.ts';

/** Binds the time to every `?` of a query from `past-tables.ts`. */
function asOf(query: string, at: string): RawBuilder<unknown> {
  const parts = query.split('?');
  return sql(Object.assign(parts, { raw: parts }), ...parts.slice(1).map(() => at));
}

/** Chunks `c` and their documents `d` in versions that were valid at that time and have been replaced since. */
export const replacedSince = (at: string): RawBuilder<unknown> =>
  sql`(${asOf(PAST_DOCUMENTS, at)}) d join (${sql.raw(VERSION_CHUNKS)}) c on c.version_key = d.version_key`;

/** Keys of chunks in versions valid at that time and replaced since; includes chunks that are still visible. */
export const pastKeys = (queries: StateQueries, { at, condition }: PastFilter): Promise<number[]> =>
  readKeys(queries, sql`select c.key from ${replacedSince(at)} where ${toRaw(condition)}`);

/** Statistics of these chunks over the indexes of current and earlier versions. */
export async function chunksWithin(database: Queries, keys: readonly number[]): Promise<StatisticsScope> {
  const length = await sumOfLengths(database, ['chunk_terms', 'past_chunk_terms'], keys);
  return { keys, length };
}

export const CHUNK_SOURCES: readonly TermSource[] = [
  { table: 'chunk_terms', base: 0 },
  { table: 'past_chunk_terms', base: 0 },
];

/**
 * The documents visible at that time that pass, by the keys under which `sources` ranks them. Keys of versions are
 * shifted by `base`.
 */
export async function documentsAt(database: Queries, at: string, condition: RawBuilder<boolean>) {
  const { rows: found } = await sql<{ key: number; version_key: number }>`
    select d.key, d.version_key from (${asOf(DOCUMENTS_AS_OF, at)}) d where ${condition}`.execute(database);
  const { rows } = await sql<{ base: number }>`select coalesce(max(key), 0) + 1 as base from documents`.execute(
    database,
  );
  const base = rows[0]?.base ?? 1;
  const documents = new Map<number, DocumentAsOf>(
    found.map(({ key, version_key }) =>
      version_key === 0 ? [key, { key, version: null }] : [base + version_key, { key, version: version_key }],
    ),
  );
  const sources: readonly TermSource[] = [
    { table: 'document_terms', base: 0 },
    { table: 'version_terms', base },
  ];
  return { documents, sources, base };
}

/** Statistics of the titles and summaries at that time. */
export async function documentsWithin(database: Queries, at: string): Promise<StatisticsScope> {
  const { documents, base } = await documentsAt(database, at, sql<boolean>`true`);
  const keys = [...documents.keys()];
  const present = keys.filter((key) => key < base);
  const replaced = keys.filter((key) => key >= base).map((key) => key - base);
  const length =
    (await sumOfLengths(database, ['document_terms'], present)) +
    (await sumOfLengths(database, ['version_terms'], replaced));
  return { keys, length };
}

async function sumOfLengths(
  database: Queries,
  tables: readonly TermSource['table'][],
  keys: readonly number[],
): Promise<number> {
  let sum = 0;
  for (const table of tables) {
    const { rows } = await sql<{ length: number }>`
      select coalesce(sum(length), 0) as length from ${sql.table(table)} where key in ${numbers(keys)}`.execute(
      database,
    );
    sum += rows[0]?.length ?? 0;
  }
  return sum;
}
