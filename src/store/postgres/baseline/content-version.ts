/** Tables that determine which chunks pass a filter, and their vectors. */
const CONTENT = [
  'documents',
  'chunks',
  'chunk_vectors',
  'document_collections',
  'document_versions',
  'version_chunks',
  'past_chunks',
  'past_chunk_vectors',
] as const;

/**
 * A number that differs between any two states of the content, so that reads can be cached. Random, so that a database
 * that lost its last transactions, e.g. by a failover, does not reuse the number of a lost state for another one.
 */
export const contentVersionTables: readonly string[] = [
  'create table cluster_content (version bigint not null, changed_by xid8 not null)',
  "insert into cluster_content values (1, '0')",
];

// A trigger before the statement, so that this row is always locked before rows of these tables.
export const contentVersionTriggers: readonly string[] = [
  `create function cluster_content_changes() returns trigger language plpgsql as $$ begin
    update cluster_content set version = (random() * 9007199254740991)::bigint, changed_by = pg_current_xact_id()
      where changed_by <> pg_current_xact_id();
    return null; end $$`,
  ...CONTENT.map(
    (table) => `create trigger cluster_content_${table} before insert or update or delete on ${table}
      for each statement execute function cluster_content_changes()`,
  ),
];
