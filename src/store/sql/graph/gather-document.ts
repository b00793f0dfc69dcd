import { sql } from 'kysely';
import type { Queries } from '../space-rows.ts';

/**
 * Takes what a document says into a collection's graph: rows of the same name (and, for relationships, the same
 * predicate) become one, which names those it was gathered from. True when something came in.
 */
export async function gatherDocument(database: Queries, collectionId: string, document: number): Promise<boolean> {
  const now = new Date().toISOString();
  await sql`insert into graph_documents (collection_id, document_key) values (${collectionId}, ${document})
    on conflict do nothing`.execute(database);
  await sql`
    insert into graph_entities (collection_id, name_key, origin, name, created_at, updated_at)
    select ${collectionId}, e.name_key, 'extracted', e.name, ${now}, ${now} from document_entities e
    where e.document_key = ${document} and not exists (
      select 1 from graph_entities g where g.collection_id = ${collectionId} and g.name_key = e.name_key)`.execute(
    database,
  );
  const entities = await sql`
    insert into graph_entity_sources (graph_entity_key, document_entity_key)
    select min(g.key), e.key from document_entities e
    join graph_entities g on g.collection_id = ${collectionId} and g.name_key = e.name_key
    where e.document_key = ${document} group by e.key
    on conflict do nothing`.execute(database);
  // The entities a relationship joins, in this graph: those its own were just gathered into.
  const ends = sql`
    select r.key, r.predicate, s.graph_entity_key as subject_key, o.graph_entity_key as object_key
    from document_relationships r
    join graph_entity_sources s on s.document_entity_key = r.subject_key
    join graph_entities gs on gs.key = s.graph_entity_key and gs.collection_id = ${collectionId}
    join graph_entity_sources o on o.document_entity_key = r.object_key
    join graph_entities go on go.key = o.graph_entity_key and go.collection_id = ${collectionId}
    where r.document_key = ${document}`;
  await sql`
    insert into graph_relationships
      (collection_id, subject_key, object_key, origin, subject, predicate, object, created_at, updated_at)
    select distinct ${collectionId}, ends.subject_key, ends.object_key, 'extracted', s.name, ends.predicate, o.name,
      ${now}, ${now}
    from (${ends}) as ends
    join graph_entities s on s.key = ends.subject_key join graph_entities o on o.key = ends.object_key
    where not exists (
      select 1 from graph_relationships g where g.subject_key = ends.subject_key and g.object_key = ends.object_key
        and g.predicate = ends.predicate)`.execute(database);
  const relationships = await sql`
    insert into graph_relationship_sources (graph_relationship_key, document_relationship_key)
    select min(g.key), ends.key from (${ends}) as ends
    join graph_relationships g on g.subject_key = ends.subject_key and g.object_key = ends.object_key
      and g.predicate = ends.predicate
    group by ends.key
    on conflict do nothing`.execute(database);
  return Number(entities.numAffectedRows ?? 0) + Number(relationships.numAffectedRows ?? 0) > 0;
}
