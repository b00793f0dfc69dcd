import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * Collection graphs are updated as soon as a document is extracted. `pulled` marks documents pulled on request;
 * `graph_exclusions` holds documents removed from a graph, which are not merged again automatically.
 */
export const graphGathering: Migration = {
  async up(database: Kysely<Tables>) {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};

const statements = [
  'alter table graph_documents add column pulled integer not null default 0',
  'update graph_documents set pulled = 1',
  `create table graph_exclusions (
    collection_id text not null references collections (id) on delete cascade on update cascade,
    document_key integer not null references documents (key) on delete cascade,
    primary key (collection_id, document_key)
  ) without rowid`,
  'create index graph_exclusions_by_document on graph_exclusions (document_key)',
  // A document that is added to the collection again is merged again.
  `create trigger graph_exclusion_left after delete on document_collections begin
    delete from graph_exclusions where collection_id = old.collection_id and document_key = old.document_key;
  end`,
];
