import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * Graphs being emptied: rows up to these keys are no longer shown and are deleted in short transactions. Keys are never
 * reused, so rows added meanwhile are shown.
 */
export const graphResets: Migration = {
  async up(database: Kysely<Tables>) {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};

const shown = (table: string, bound: string) => `
  create view shown_${table} as select * from ${table} as g where not exists (
    select 1 from graph_resets x where x.collection_id = g.collection_id and g.key <= x.${bound})`;

const statements = [
  `create table graph_resets (
    collection_id text primary key references collections (id) on delete cascade on update cascade,
    entity_key integer not null,
    relationship_key integer not null,
    community_key integer not null,
    is_starting integer not null
  )`,
  shown('graph_entities', 'entity_key'),
  shown('graph_relationships', 'relationship_key'),
  shown('graph_communities', 'community_key'),
  // A reset removes all documents from the graph in one statement, and deletes the rows that came from them afterwards.
  'drop trigger graph_document_gone',
  `create trigger graph_document_gone after delete on graph_documents
    when not exists (select 1 from graph_resets x where x.collection_id = old.collection_id and x.is_starting = 1) begin
    delete from graph_relationship_sources where document_relationship_key in (
        select key from document_relationships where document_key = old.document_key)
      and graph_relationship_key in (select key from graph_relationships where collection_id = old.collection_id);
    delete from graph_entity_sources where document_entity_key in (
        select key from document_entities where document_key = old.document_key)
      and graph_entity_key in (select key from graph_entities where collection_id = old.collection_id);
  end`,
];
