import { type RawBuilder, sql } from 'kysely';
import type { Page, Paged } from '../../corpus.ts';
import type { GraphParent, StoredEntity } from '../../graph-records.ts';
import { dialectOf, type SqlDialect } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { CHUNKS_NAMED, type GraphColumns, storedFields } from './graph-columns.ts';
import { recordId } from './record-id.ts';

interface EntityRow extends GraphColumns {
  readonly name: string;
  readonly category: string | null;
}

// A null field of a collection's entity is taken from the source with most mentions.
const best = (column: RawBuilder<unknown>) => sql`(
  select ${column} from graph_entity_sources s join document_entities x on x.key = s.document_entity_key
  where s.graph_entity_key = e.key and ${column} is not null and ${column} <> ''
  order by x.mentions desc, x.key limit 1)`;

const entitySelects = ({ listOf }: SqlDialect) => ({
  document: sql`
    select e.key, e.name, e.category, e.description, e.metadata, 'extracted' as origin, e.mentions,
      e.created_at, e.updated_at,
      (select ${listOf(sql`id`)} from (
        select distinct c.id from entity_mentions m join chunks c on c.key = m.chunk_key
        where m.entity_key = e.key limit ${sql.lit(CHUNKS_NAMED)}) as c) as chunks
    from document_entities e join documents d on d.key = e.document_key`,
  collection: sql`
    select e.key, e.name, coalesce(e.category, ${best(sql`x.category`)}) as category,
      coalesce(e.description, ${best(sql`x.description`)}) as description,
      coalesce(e.metadata, ${best(sql`x.metadata`)}) as metadata, e.origin,
      (select coalesce(sum(x.mentions), 0) from graph_entity_sources s
        join document_entities x on x.key = s.document_entity_key where s.graph_entity_key = e.key) as mentions,
      e.created_at, e.updated_at,
      (select ${listOf(sql`id`)} from (
        select distinct c.id from graph_entity_sources s join entity_mentions m on m.entity_key = s.document_entity_key
        join chunks c on c.key = m.chunk_key
        where s.graph_entity_key = e.key limit ${sql.lit(CHUNKS_NAMED)}) as c) as chunks
    from shown_graph_entities e`,
});

/** SQL condition that a row belongs to the parent, over the tables of `entitySelects`. */
const within = ({ kind, id }: GraphParent) =>
  kind === 'document' ? sql`d.id = ${id.toLowerCase()}` : sql`e.collection_id = ${id.toLowerCase()}`;

/** In insertion order. */
export async function listEntities(
  database: Queries,
  parent: GraphParent,
  { offset, limit }: Page,
): Promise<Paged<StoredEntity>> {
  const from =
    parent.kind === 'document'
      ? sql`document_entities e join documents d on d.key = e.document_key`
      : sql`shown_graph_entities e`;
  const counted = await sql<{ total: number }>`
    select count(*) as total from ${from} where ${within(parent)}`.execute(database);
  const { rows } = await sql<EntityRow>`
    ${entitySelects(dialectOf(database))[parent.kind]} where ${within(parent)} order by e.key limit ${limit} offset ${offset}`.execute(
    database,
  );
  return { items: rows.map((row) => toEntity(row, parent)), total: counted.rows[0]?.total ?? 0 };
}

export async function findEntity(
  database: Queries,
  parent: GraphParent,
  key: number | undefined,
): Promise<StoredEntity | undefined> {
  if (key === undefined) return undefined;
  const { rows } = await sql<EntityRow>`
    ${entitySelects(dialectOf(database))[parent.kind]} where ${within(parent)} and e.key = ${key}`.execute(database);
  return rows[0] && toEntity(rows[0], parent);
}

function toEntity(row: EntityRow, parent: GraphParent): StoredEntity {
  return {
    id: recordId(parent.kind === 'document' ? 'document_entities' : 'graph_entities', row.key),
    ...storedFields(row, parent),
    name: row.name,
    category: row.category,
  };
}
