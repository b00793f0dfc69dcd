import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * The knowledge graph on two levels: per document, with mentions at offsets in its chunks; and per collection, merged
 * from its documents or entered manually. A row of the second level refers to its source rows of the first and has no
 * copy of their text, so that nothing remains of deleted documents.
 */
export const graph: Migration = {
  async up(database: Kysely<Tables>) {
    for (const statement of [...names, ...ofDocuments, ...ofCollections, ...upkeep]) {
      await sql.raw(statement).execute(database);
    }
  },
};

// Each name once, however many documents use it: for search, and for the vectors of names.
const names = [
  `create table graph_names (
    key integer primary key autoincrement,
    folded text not null unique,
    name text not null
  )`,
  `create virtual table graph_name_terms using fts5(
    terms, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
  )`,
  `create table graph_name_vectors (
    space_key integer not null references vector_spaces (key) on delete cascade,
    name_key integer not null references graph_names (key) on delete cascade,
    vector blob not null,
    primary key (space_key, name_key)
  )`,
  'create index graph_name_vectors_by_name on graph_name_vectors (name_key)',
];

const ofDocuments = [
  `create table document_graphs (
    document_key integer primary key references documents (key) on delete cascade,
    requested text,
    extractor text,
    failure text,
    extracted_at text
  )`,
  // Completed parts of a long extraction, so that it resumes where it was interrupted.
  `create table extraction_parts (
    document_key integer not null references documents (key) on delete cascade,
    generation integer not null,
    extractor text not null,
    part integer not null,
    graph text not null,
    primary key (document_key, generation, extractor, part)
  )`,
  `create table document_entities (
    key integer primary key autoincrement,
    document_key integer not null references documents (key) on delete cascade,
    name_key integer not null references graph_names (key),
    name text not null,
    category text,
    description text not null,
    metadata text not null,
    mentions integer not null,
    created_at text not null,
    updated_at text not null,
    unique (document_key, name_key)
  )`,
  'create index document_entities_by_name on document_entities (name_key)',
  `create table entity_mentions (
    entity_key integer not null references document_entities (key) on delete cascade,
    chunk_key integer not null references chunks (key) on delete cascade,
    start_offset integer not null,
    end_offset integer not null,
    primary key (entity_key, chunk_key, start_offset)
  ) without rowid`,
  'create index entity_mentions_by_chunk on entity_mentions (chunk_key, entity_key)',
  `create table document_relationships (
    key integer primary key autoincrement,
    document_key integer not null references documents (key) on delete cascade,
    subject_key integer not null references document_entities (key) on delete cascade,
    object_key integer not null references document_entities (key) on delete cascade,
    predicate text not null,
    description text not null,
    weight real not null,
    metadata text not null,
    created_at text not null,
    updated_at text not null,
    unique (subject_key, object_key, predicate)
  )`,
  'create index document_relationships_by_document on document_relationships (document_key)',
  'create index document_relationships_by_object on document_relationships (object_key)',
  `create table relationship_mentions (
    relationship_key integer not null references document_relationships (key) on delete cascade,
    chunk_key integer not null references chunks (key) on delete cascade,
    start_offset integer not null,
    end_offset integer not null,
    primary key (relationship_key, chunk_key, start_offset)
  ) without rowid`,
  'create index relationship_mentions_by_chunk on relationship_mentions (chunk_key, relationship_key)',
  `create index documents_to_extract on documents (key)
    where extraction_status in ('pending', 'processing') and generation > 0`,
];

// A null category, description or weight is taken from the sources.
const ofCollections = [
  `create table graphs (
    collection_id text primary key references collections (id) on delete cascade on update cascade,
    name text,
    description text,
    created_at text not null,
    updated_at text not null
  )`,
  `create table graph_documents (
    collection_id text not null references collections (id) on delete cascade on update cascade,
    document_key integer not null references documents (key) on delete cascade,
    primary key (collection_id, document_key)
  ) without rowid`,
  'create index graph_documents_by_document on graph_documents (document_key)',
  `create table graph_entities (
    key integer primary key autoincrement,
    collection_id text not null references collections (id) on delete cascade on update cascade,
    name_key integer not null references graph_names (key),
    origin text not null,
    name text not null,
    category text,
    description text,
    metadata text,
    created_at text not null,
    updated_at text not null
  )`,
  'create index graph_entities_by_collection on graph_entities (collection_id, name_key)',
  'create index graph_entities_by_name on graph_entities (name_key)',
  `create table graph_entity_sources (
    graph_entity_key integer not null references graph_entities (key) on delete cascade,
    document_entity_key integer not null references document_entities (key) on delete cascade,
    primary key (graph_entity_key, document_entity_key)
  ) without rowid`,
  'create index graph_entity_sources_by_source on graph_entity_sources (document_entity_key)',
  `create table graph_relationships (
    key integer primary key autoincrement,
    collection_id text not null references collections (id) on delete cascade on update cascade,
    subject_key integer not null references graph_entities (key) on delete cascade,
    object_key integer not null references graph_entities (key) on delete cascade,
    origin text not null,
    subject text not null,
    predicate text not null,
    object text not null,
    description text,
    weight real,
    metadata text,
    created_at text not null,
    updated_at text not null
  )`,
  'create index graph_relationships_by_collection on graph_relationships (collection_id)',
  'create index graph_relationships_by_subject on graph_relationships (subject_key, object_key)',
  'create index graph_relationships_by_object on graph_relationships (object_key)',
  `create table graph_relationship_sources (
    graph_relationship_key integer not null references graph_relationships (key) on delete cascade,
    document_relationship_key integer not null references document_relationships (key) on delete cascade,
    primary key (graph_relationship_key, document_relationship_key)
  ) without rowid`,
  'create index graph_relationship_sources_by_source on graph_relationship_sources (document_relationship_key)',
  `create table graph_communities (
    key integer primary key autoincrement,
    collection_id text not null references collections (id) on delete cascade on update cascade,
    origin text not null,
    name text not null,
    summary text not null,
    findings text not null,
    rating real not null,
    rating_explanation text not null,
    level integer not null,
    attributes text not null,
    created_at text not null,
    updated_at text not null
  )`,
  ...['graph_entities', 'graph_relationships', 'graph_communities'].map(
    (table) => `create index ${table}_made on ${table} (collection_id) where origin = 'made'`,
  ),
  'create index graph_communities_by_collection on graph_communities (collection_id)',
  `create table graph_community_members (
    community_key integer not null references graph_communities (key) on delete cascade,
    entity_key integer not null references graph_entities (key) on delete cascade,
    place integer not null,
    primary key (community_key, entity_key)
  ) without rowid`,
  `create virtual table graph_community_terms using fts5(
    terms, content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
  )`,
  'create index graph_community_members_by_entity on graph_community_members (entity_key)',
];

const dropCommunities = (entities: string) => `
  update collections set graph_cluster_status = 'outdated'
  where graph_cluster_status = 'success' and id in (
    select c.collection_id from graph_communities c join graph_community_members m on m.community_key = c.key
    where c.origin = 'extracted' and m.entity_key in (${entities}));
  delete from graph_communities where origin = 'extracted' and key in (
    select community_key from graph_community_members where entity_key in (${entities}));`;

// Triggers, so that the graph stays consistent whichever statement removes a chunk, a document or a membership.
const upkeep = [
  // The description may quote the removed chunk; the document is extracted again.
  `create trigger entity_mention_gone after delete on entity_mentions begin
    ${dropCommunities('select graph_entity_key from graph_entity_sources where document_entity_key = old.entity_key')}
    update document_entities set mentions = mentions - 1, description = '' where key = old.entity_key;
    delete from document_entities where key = old.entity_key and mentions <= 0;
  end`,
  `create trigger relationship_mention_gone after delete on relationship_mentions begin
    update document_relationships set description = '' where key = old.relationship_key;
    delete from document_relationships where key = old.relationship_key
      and not exists (select 1 from relationship_mentions where relationship_key = old.relationship_key);
  end`,
  `create trigger graph_entity_source_gone after delete on graph_entity_sources begin
    ${dropCommunities('old.graph_entity_key')}
    delete from graph_entities where key = old.graph_entity_key and origin = 'extracted'
      and not exists (select 1 from graph_entity_sources where graph_entity_key = old.graph_entity_key);
  end`,
  `create trigger graph_relationship_source_gone after delete on graph_relationship_sources begin
    ${dropCommunities('select subject_key from graph_relationships where key = old.graph_relationship_key')}
    delete from graph_relationships where key = old.graph_relationship_key and origin = 'extracted'
      and not exists (
        select 1 from graph_relationship_sources where graph_relationship_key = old.graph_relationship_key);
  end`,
  ...['document_entities', 'graph_entities'].map(
    (table) => `create trigger ${table}_name_gone after delete on ${table} begin
      delete from graph_names where key = old.name_key
        and not exists (select 1 from document_entities where name_key = old.name_key)
        and not exists (select 1 from graph_entities where name_key = old.name_key);
    end`,
  ),
  `create trigger graph_entity_renamed after update of name_key on graph_entities when old.name_key <> new.name_key begin
    delete from graph_names where key = old.name_key
      and not exists (select 1 from document_entities where name_key = old.name_key)
      and not exists (select 1 from graph_entities where name_key = old.name_key);
  end`,
  `create trigger graph_name_gone after delete on graph_names begin
    delete from graph_name_terms where rowid = old.key;
  end`,
  `create trigger graph_community_gone after delete on graph_communities begin
    delete from graph_community_terms where rowid = old.key;
  end`,
  `create trigger graph_document_gone after delete on graph_documents begin
    delete from graph_relationship_sources where document_relationship_key in (
        select key from document_relationships where document_key = old.document_key)
      and graph_relationship_key in (select key from graph_relationships where collection_id = old.collection_id);
    delete from graph_entity_sources where document_entity_key in (
        select key from document_entities where document_key = old.document_key)
      and graph_entity_key in (select key from graph_entities where collection_id = old.collection_id);
  end`,
  `create trigger graph_document_left after delete on document_collections begin
    delete from graph_documents where collection_id = old.collection_id and document_key = old.document_key;
  end`,
  // A changed or removed chunk queues a new extraction of its document.
  `create trigger chunk_text_changed after update of text on chunks when old.text <> new.text begin
    delete from entity_mentions where chunk_key = old.key;
    delete from relationship_mentions where chunk_key = old.key;
    update documents set extraction_status = 'pending'
      where key = old.document_key and generation = old.generation and extraction_status <> 'pending';
  end`,
  `create trigger chunk_gone after delete on chunks begin
    update documents set extraction_status = 'pending'
      where key = old.document_key and generation = old.generation and extraction_status <> 'pending';
  end`,
];
