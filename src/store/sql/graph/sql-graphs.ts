import { sql } from 'kysely';
import type { GraphOutline, GraphParent, GraphRecords } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import { findRow } from '../documents/document-rows.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { createCommunities } from './community-rows.ts';
import { findEntity, listEntities } from './entity-rows.ts';
import type { GraphResets } from './graph-resets.ts';
import { createManualRows } from './manual-rows.ts';
import { pullDocuments } from './pull-documents.ts';
import { recordId, recordKey } from './record-id.ts';
import { findRelationship, listRelationships } from './relationship-rows.ts';

/** GraphRecords in the record store. */
export function createGraphs(sqlite: Database, resets: GraphResets): GraphRecords {
  const { reader, writer } = sqlite;
  const reset = (collectionId: string, signal?: AbortSignal) =>
    resets.empty(collectionId.toLowerCase(), { excludesDocuments: true, ...(signal && { signal }) });
  return {
    ...createCommunities(sqlite),
    ...createManualRows(sqlite),

    entities: (parent, page) => listEntities(reader, parent, page),
    relationships: (parent, query) => listRelationships(reader, parent, query),
    entity: (parent, id) => findEntity(reader, parent, recordKey(entityTable(parent), id)),
    relationship: (parent, id) => findRelationship(reader, parent, recordKey(relationshipTable(parent), id)),

    async graph(collectionId) {
      const { rows } = await sql<GraphRow>`
        select c.id, coalesce(g.name, c.name) as name, coalesce(g.description, c.description) as description,
          (select ${dialectOf(reader).listOf(sql`d.id`)} from graph_documents gd join documents d on d.key = gd.document_key
            where gd.collection_id = c.id) as documents,
          (select count(*) from shown_graph_entities e where e.collection_id = c.id) as entities,
          (select count(*) from shown_graph_relationships r where r.collection_id = c.id) as relationships,
          (select count(*) from shown_graph_communities m where m.collection_id = c.id) as communities,
          coalesce(g.created_at, c.created_at) as created_at, coalesce(g.updated_at, c.updated_at) as updated_at
        from collections c left join graphs g on g.collection_id = c.id
        where c.id = ${collectionId.toLowerCase()}`.execute(reader);
      const [row] = rows;
      return (
        row && {
          collectionId: row.id,
          name: row.name,
          description: row.description,
          documentIds: JSON.parse(row.documents) as string[],
          entities: row.entities,
          relationships: row.relationships,
          communities: row.communities,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        }
      );
    },

    async describeGraph(collectionId, { name, description }) {
      const now = new Date().toISOString();
      await sql`
        insert into graphs (collection_id, name, description, created_at, updated_at)
        select id, ${name ?? null}, ${description ?? null}, created_at, ${now} from collections
        where id = ${collectionId.toLowerCase()}
        on conflict (collection_id) do update set name = coalesce(excluded.name, graphs.name),
          description = coalesce(excluded.description, graphs.description), updated_at = excluded.updated_at`.execute(
        writer,
      );
    },

    pullInSteps: (collectionId, options) => pullDocuments(sqlite, collectionId.toLowerCase(), options),
    async pull(collectionId, options) {
      const steps = pullDocuments(sqlite, collectionId.toLowerCase(), options);
      for (;;) {
        const step = await steps.next();
        if (step.done) return step.value;
      }
    },

    removeDocument: (collectionId, documentId) =>
      writer.transaction().execute(async (transaction) => {
        const document = await findRow(transaction, documentId);
        if (document === undefined) return false;
        const row = { collection_id: collectionId.toLowerCase(), document_key: document.key };
        const { numDeletedRows } = await transaction
          .deleteFrom('graph_documents')
          .where('collection_id', '=', row.collection_id)
          .where('document_key', '=', row.document_key)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await transaction
          .insertInto('graph_exclusions')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        return true;
      }),

    resetInSteps: (collectionId, signal) => reset(collectionId, signal),
    async reset(collectionId) {
      for await (const _ of reset(collectionId));
    },

    outline: (collectionId, page) =>
      reader.transaction().execute((transaction) => readOutline(transaction, collectionId.toLowerCase(), page)),
  };
}

interface GraphRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly documents: string;
  readonly entities: number;
  readonly relationships: number;
  readonly communities: number;
  readonly created_at: string;
  readonly updated_at: string;
}

const entityTable = ({ kind }: GraphParent) => (kind === 'document' ? 'document_entities' : 'graph_entities');
const relationshipTable = ({ kind }: GraphParent) =>
  kind === 'document' ? 'document_relationships' : 'graph_relationships';

async function readOutline(
  database: Queries,
  id: string,
  page: { readonly nodes: { readonly offset: number; readonly limit: number }; readonly edges: number },
): Promise<GraphOutline> {
  const nodes = await sql<{ key: number; mentions: number }>`
    select e.key, coalesce(sum(x.mentions), 0) as mentions from shown_graph_entities e
    left join graph_entity_sources s on s.graph_entity_key = e.key
    left join document_entities x on x.key = s.document_entity_key
    where e.collection_id = ${id} group by e.key
    order by mentions desc, e.key limit ${page.nodes.limit} offset ${page.nodes.offset}`.execute(database);
  const shown = dialectOf(database).numbers(nodes.rows.map(({ key }) => key));
  const found = await sql<{ key: number; name: string; category: string | null; description: string | null }>`
    select e.key, e.name,
      coalesce(e.category, (select x.category from graph_entity_sources s
        join document_entities x on x.key = s.document_entity_key
        where s.graph_entity_key = e.key and x.category is not null order by x.mentions desc limit 1)) as category,
      coalesce(e.description, (select x.description from graph_entity_sources s
        join document_entities x on x.key = s.document_entity_key
        where s.graph_entity_key = e.key and x.description <> '' order by x.mentions desc limit 1)) as description
    from graph_entities e where e.key in ${shown}`.execute(database);
  const edges = await sql<{
    key: number;
    subject_key: number;
    object_key: number;
    predicate: string;
    description: string | null;
    weight: number;
  }>`
    select r.key, r.subject_key, r.object_key, r.predicate,
      coalesce(r.description, (select x.description from graph_relationship_sources s
        join document_relationships x on x.key = s.document_relationship_key
        where s.graph_relationship_key = r.key and x.description <> '' order by x.weight desc limit 1)) as description,
      coalesce(r.weight, (select sum(x.weight) from graph_relationship_sources s
        join document_relationships x on x.key = s.document_relationship_key
        where s.graph_relationship_key = r.key), 1) as weight
    from shown_graph_relationships r
    where r.collection_id = ${id} and r.subject_key in ${shown} and r.object_key in ${shown}
    order by weight desc, r.key limit ${page.edges}`.execute(database);
  const counts = await sql<{ nodes: number; edges: number }>`
    select (select count(*) from shown_graph_entities where collection_id = ${id}) as nodes,
      (select count(*) from shown_graph_relationships where collection_id = ${id}) as edges`.execute(database);
  const described = new Map(found.rows.map((row) => [row.key, row]));
  return {
    nodes: nodes.rows.flatMap(({ key, mentions }) => {
      const row = described.get(key);
      if (row === undefined) return [];
      const { name, category, description } = row;
      return [{ id: recordId('graph_entities', key), name, category, description: description ?? '', mentions }];
    }),
    edges: edges.rows.map((row) => ({
      id: recordId('graph_relationships', row.key),
      subjectId: recordId('graph_entities', row.subject_key),
      objectId: recordId('graph_entities', row.object_key),
      predicate: row.predicate,
      description: row.description ?? '',
      weight: row.weight,
    })),
    totalNodes: counts.rows[0]?.nodes ?? 0,
    totalEdges: counts.rows[0]?.edges ?? 0,
  };
}
