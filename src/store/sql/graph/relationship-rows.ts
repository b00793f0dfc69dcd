import { type RawBuilder, sql } from 'kysely';
import type { Paged } from '../../corpus.ts';
import type { GraphParent, RelationshipQuery, StoredRelationship } from '../../graph-records.ts';
import { dialectOf, type SqlDialect } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { CHUNKS_NAMED, type GraphColumns, storedFields } from './graph-columns.ts';
import { nameForm } from './name-rows.ts';
import { recordId } from './record-id.ts';

interface RelationshipRow extends GraphColumns {
  readonly subject: string;
  readonly subject_key: number;
  readonly predicate: string;
  readonly object: string;
  readonly object_key: number;
  readonly weight: number | null;
}

// A null field of a collection's relationship is taken from its sources.
const best = (column: RawBuilder<unknown>) => sql`(
  select ${column} from graph_relationship_sources s
  join document_relationships x on x.key = s.document_relationship_key
  where s.graph_relationship_key = r.key and ${column} <> '' order by x.weight desc, x.key limit 1)`;

const selects = ({ listOf }: SqlDialect) => ({
  document: sql`
    select r.key, s.name as subject, r.subject_key, r.predicate, o.name as object, r.object_key, r.description,
      r.weight, r.metadata, 'extracted' as origin, r.created_at, r.updated_at,
      (select count(*) from relationship_mentions m where m.relationship_key = r.key) as mentions,
      (select ${listOf(sql`id`)} from (
        select distinct c.id from relationship_mentions m join chunks c on c.key = m.chunk_key
        where m.relationship_key = r.key limit ${sql.lit(CHUNKS_NAMED)}) as c) as chunks`,
  collection: sql`
    select r.key, r.subject, r.subject_key, r.predicate, r.object, r.object_key,
      coalesce(r.description, ${best(sql`x.description`)}) as description,
      coalesce(r.weight, (
        select sum(x.weight) from graph_relationship_sources g
        join document_relationships x on x.key = g.document_relationship_key
        where g.graph_relationship_key = r.key)) as weight,
      coalesce(r.metadata, ${best(sql`x.metadata`)}) as metadata, r.origin, r.created_at, r.updated_at,
      (select count(*) from graph_relationship_sources g
        join relationship_mentions m on m.relationship_key = g.document_relationship_key
        where g.graph_relationship_key = r.key) as mentions,
      (select ${listOf(sql`id`)} from (
        select distinct c.id from graph_relationship_sources g
        join relationship_mentions m on m.relationship_key = g.document_relationship_key
        join chunks c on c.key = m.chunk_key
        where g.graph_relationship_key = r.key limit ${sql.lit(CHUNKS_NAMED)}) as c) as chunks`,
});

const sources = {
  document: sql`document_relationships r join documents d on d.key = r.document_key
    join document_entities s on s.key = r.subject_key join document_entities o on o.key = r.object_key`,
  collection: sql`shown_graph_relationships r
    join graph_entities s on s.key = r.subject_key join graph_entities o on o.key = r.object_key`,
} as const;

const within = ({ kind, id }: GraphParent) =>
  kind === 'document' ? sql`d.id = ${id.toLowerCase()}` : sql`r.collection_id = ${id.toLowerCase()}`;

/** In insertion order. */
export async function listRelationships(
  database: Queries,
  parent: GraphParent,
  { offset, limit, entityNames = [], predicates = [] }: RelationshipQuery,
): Promise<Paged<StoredRelationship>> {
  const { texts } = dialectOf(database);
  const names = sql`(select key from graph_names where folded in ${texts(entityNames.map(nameForm))})`;
  const matching = sql`${within(parent)}
    ${entityNames.length === 0 ? sql`` : sql`and (s.name_key in ${names} or o.name_key in ${names})`}
    ${predicates.length === 0 ? sql`` : sql`and r.predicate in ${texts(predicates)}`}`;
  const counted = await sql<{ total: number }>`
    select count(*) as total from ${sources[parent.kind]} where ${matching}`.execute(database);
  const { rows } = await sql<RelationshipRow>`
    ${selects(dialectOf(database))[parent.kind]} from ${sources[parent.kind]} where ${matching}
    order by r.key limit ${limit} offset ${offset}`.execute(database);
  return { items: rows.map((row) => toRelationship(row, parent)), total: counted.rows[0]?.total ?? 0 };
}

export async function findRelationship(
  database: Queries,
  parent: GraphParent,
  key: number | undefined,
): Promise<StoredRelationship | undefined> {
  if (key === undefined) return undefined;
  const { rows } = await sql<RelationshipRow>`
    ${selects(dialectOf(database))[parent.kind]} from ${sources[parent.kind]} where ${within(parent)} and r.key = ${key}`.execute(
    database,
  );
  return rows[0] && toRelationship(rows[0], parent);
}

function toRelationship(row: RelationshipRow, parent: GraphParent): StoredRelationship {
  const isOfDocument = parent.kind === 'document';
  const entities = isOfDocument ? 'document_entities' : 'graph_entities';
  return {
    id: recordId(isOfDocument ? 'document_relationships' : 'graph_relationships', row.key),
    ...storedFields(row, parent),
    subject: row.subject,
    subjectId: recordId(entities, row.subject_key),
    predicate: row.predicate,
    object: row.object,
    objectId: recordId(entities, row.object_key),
    weight: row.weight ?? 1,
  };
}
