import { sql } from 'kysely';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/**
 * Merges a document's graph into a collection's graph: rows of the same name (and, for relationships, the same
 * predicate) become one, which lists its source rows. True when something was added; existing communities are then
 * outdated.
 */
export async function mergeDocumentGraph(database: Queries, collectionId: string, document: number): Promise<boolean> {
  const now = new Date().toISOString();
  await sql`insert into graph_documents (collection_id, document_key) values (${collectionId}, ${document})
    on conflict do nothing`.execute(database);
  await sql`
    insert into graph_entities (collection_id, name_key, origin, name, created_at, updated_at)
    select ${collectionId}, e.name_key, 'extracted', e.name, ${now}, ${now} from document_entities e
    where e.document_key = ${document} and not exists (
      select 1 from shown_graph_entities g where g.collection_id = ${collectionId} and g.name_key = e.name_key)`.execute(
    database,
  );
  // Joins in the written order, from the document's own rows outwards by key. Without statistics, SQLite would first
  // pair all entities of the collection with each other.
  const { joinInOrder } = dialectOf(database);
  const entities = await sql`
    insert into graph_entity_sources (graph_entity_key, document_entity_key)
    select min(g.key), e.key from document_entities e
    ${joinInOrder} shown_graph_entities g on g.collection_id = ${collectionId} and g.name_key = e.name_key
    where e.document_key = ${document} group by e.key
    on conflict do nothing`.execute(database);
  // The entities at the ends of a relationship in this graph: those the source's ends were just merged into.
  const ends = sql`
    select r.key, r.predicate, gs.key as subject_key, gs.name as subject, go.key as object_key, go.name as object
    from document_relationships r
    ${joinInOrder} graph_entity_sources s on s.document_entity_key = r.subject_key
    ${joinInOrder} shown_graph_entities gs on gs.key = s.graph_entity_key and gs.collection_id = ${collectionId}
    ${joinInOrder} graph_entity_sources o on o.document_entity_key = r.object_key
    ${joinInOrder} shown_graph_entities go on go.key = o.graph_entity_key and go.collection_id = ${collectionId}
    where r.document_key = ${document}`;
  await sql`
    with ends as materialized (${ends})
    insert into graph_relationships
      (collection_id, subject_key, object_key, origin, subject, predicate, object, created_at, updated_at)
    select distinct ${collectionId}, ends.subject_key, ends.object_key, 'extracted', ends.subject, ends.predicate,
      ends.object, ${now}, ${now}
    from ends where not exists (
      select 1 from graph_relationships g where g.subject_key = ends.subject_key and g.object_key = ends.object_key
        and g.predicate = ends.predicate)`.execute(database);
  const relationships = await sql`
    with ends as materialized (${ends})
    insert into graph_relationship_sources (graph_relationship_key, document_relationship_key)
    select min(g.key), ends.key from ends
    ${joinInOrder} graph_relationships g on g.subject_key = ends.subject_key and g.object_key = ends.object_key
      and g.predicate = ends.predicate
    group by ends.key
    on conflict do nothing`.execute(database);
  if (Number(entities.numAffectedRows ?? 0) + Number(relationships.numAffectedRows ?? 0) === 0) return false;
  await database
    .updateTable('collections')
    .set({ graph_cluster_status: 'outdated' })
    .where('id', '=', collectionId)
    .where('graph_cluster_status', '=', 'success')
    .execute();
  return true;
}

/** Merges a document's graph into the graphs of all its collections, except those it was excluded from. */
export async function mergeIntoCollections(database: Queries, document: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select c.id from document_collections dc join collections c on c.id = dc.collection_id
    where dc.document_key = ${document} and not exists (
      select 1 from graph_exclusions x where x.collection_id = c.id and x.document_key = ${document})`.execute(
    database,
  );
  for (const { id } of rows) await mergeDocumentGraph(database, id, document);
}
