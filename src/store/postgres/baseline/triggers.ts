/** A trigger with the same name as SQLite's, and its function. */
function trigger(name: string, event: string, body: string, condition?: string): string[] {
  const isBefore = event.startsWith('before');
  const result = !isBefore ? 'null' : event.includes('delete') ? 'old' : 'new';
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return ${result}; end $$`,
    `create trigger ${name} ${event} for each row ${condition ? `when (${condition}) ` : ''}execute function ${name}()`,
  ];
}

const dropCommunities = (entities: string) => `
  update collections set graph_cluster_status = 'outdated'
  where graph_cluster_status = 'success' and id in (
    select c.collection_id from graph_communities c join graph_community_members m on m.community_key = c.key
    where c.origin = 'extracted' and m.entity_key in (${entities}));
  delete from graph_communities where origin = 'extracted' and key in (
    select community_key from graph_community_members where entity_key in (${entities}));`;

const dropName = `
  delete from graph_names where key = old.name_key
    and not exists (select 1 from document_entities where name_key = old.name_key)
    and not exists (select 1 from graph_entities where name_key = old.name_key);`;

const requeueExtraction = `
  update documents set extraction_status = 'pending'
    where key = old.document_key and generation = old.generation and extraction_status <> 'pending';`;

const graph = [
  ...trigger(
    'entity_mention_gone',
    'after delete on entity_mentions',
    `${dropCommunities('select graph_entity_key from graph_entity_sources where document_entity_key = old.entity_key')}
    update document_entities set mentions = mentions - 1, description = '' where key = old.entity_key;
    delete from document_entities where key = old.entity_key and mentions <= 0;`,
  ),
  ...trigger(
    'relationship_mention_gone',
    'after delete on relationship_mentions',
    `update document_relationships set description = '' where key = old.relationship_key;
    delete from document_relationships where key = old.relationship_key
      and not exists (select 1 from relationship_mentions where relationship_key = old.relationship_key);`,
  ),
  ...trigger(
    'graph_entity_source_gone',
    'after delete on graph_entity_sources',
    `${dropCommunities('old.graph_entity_key')}
    delete from graph_entities where key = old.graph_entity_key and origin = 'extracted'
      and not exists (select 1 from graph_entity_sources where graph_entity_key = old.graph_entity_key);`,
  ),
  ...trigger(
    'graph_relationship_source_gone',
    'after delete on graph_relationship_sources',
    `${dropCommunities('select subject_key from graph_relationships where key = old.graph_relationship_key')}
    delete from graph_relationships where key = old.graph_relationship_key and origin = 'extracted'
      and not exists (
        select 1 from graph_relationship_sources where graph_relationship_key = old.graph_relationship_key);`,
  ),
  ...trigger('document_entities_name_gone', 'after delete on document_entities', dropName),
  ...trigger('graph_entities_name_gone', 'after delete on graph_entities', dropName),
  ...trigger(
    'graph_entity_renamed',
    'after update of name_key on graph_entities',
    dropName,
    'old.name_key <> new.name_key',
  ),
  ...trigger(
    'graph_document_gone',
    'after delete on graph_documents',
    `if not exists (select 1 from graph_resets x where x.collection_id = old.collection_id and x.is_starting = 1) then
    delete from graph_relationship_sources where document_relationship_key in (
        select key from document_relationships where document_key = old.document_key)
      and graph_relationship_key in (select key from graph_relationships where collection_id = old.collection_id);
    delete from graph_entity_sources where document_entity_key in (
        select key from document_entities where document_key = old.document_key)
      and graph_entity_key in (select key from graph_entities where collection_id = old.collection_id);
    end if;`,
  ),
  ...trigger(
    'graph_document_left',
    'after delete on document_collections',
    'delete from graph_documents where collection_id = old.collection_id and document_key = old.document_key;',
  ),
  ...trigger(
    'graph_exclusion_left',
    'after delete on document_collections',
    'delete from graph_exclusions where collection_id = old.collection_id and document_key = old.document_key;',
  ),
  ...trigger(
    'chunk_text_changed',
    'after update of text on chunks',
    `delete from entity_mentions where chunk_key = old.key;
    delete from relationship_mentions where chunk_key = old.key; ${requeueExtraction}`,
    'old.text <> new.text',
  ),
  ...trigger('chunk_gone', 'after delete on chunks', requeueExtraction),
];

const moveToPastChunks = (key: string) => `
  insert into past_chunks (key, id, document_key, text, heading_path, metadata, embedding_hash, context)
    values (${key}, old.id, old.document_key, old.text, old.heading_path, old.metadata, old.embedding_hash, old.context);
  insert into past_chunk_vectors (space_key, chunk_key, vector)
    select space_key, ${key}, vector from chunk_vectors where chunk_key = old.key;
  insert into full_text_due values ('past_chunk_terms', ${key}, 0);`;

const noLongerIndexed = [
  ['past_chunks', 'past_chunk_terms', 'past_chunks_removed'],
  ['document_versions', 'version_terms', 'document_versions_removed'],
  ['graph_names', 'graph_name_terms', 'graph_name_gone'],
  ['graph_communities', 'graph_community_terms', 'graph_community_gone'],
].flatMap(([table, index, name = '']) =>
  trigger(name, `after delete on ${table}`, `insert into full_text_due values ('${index}', old.key, 1);`),
);

const versions = [
  ...trigger(
    'chunks_removed',
    'before delete on chunks',
    `if exists (select 1 from version_chunks where chunk_key = old.key) then ${moveToPastChunks('old.key')} end if;`,
  ),
  // The edited chunk keeps its key; the copy of its old state gets a new, unique one.
  ...trigger(
    'chunks_edited',
    'before update of text, heading_path, metadata, context on chunks',
    `if exists (select 1 from version_chunks where chunk_key = old.key) then
    perform nextval(pg_get_serial_sequence('chunks', 'key'));
    ${moveToPastChunks("currval(pg_get_serial_sequence('chunks', 'key'))")}
    update version_chunks set chunk_key = currval(pg_get_serial_sequence('chunks', 'key')) where chunk_key = old.key;
    end if;`,
    `old.text <> new.text or old.heading_path <> new.heading_path or old.metadata <> new.metadata
      or old.context is distinct from new.context`,
  ),
  ...trigger(
    'documents_described',
    'after update of title, summary on documents',
    'delete from document_vectors where described_key = new.key;',
    'old.title <> new.title or old.summary is distinct from new.summary',
  ),
  ...trigger(
    'document_versions_described',
    'after insert on document_versions',
    `insert into version_vectors (space_key, described_key, vector)
      select space_key, new.key, vector from document_vectors where described_key = new.document_key;`,
    'new.retired_at is null',
  ),
  ...trigger(
    'document_versions_retired',
    'after update of retired_at on document_versions',
    'delete from version_vectors where described_key = new.key;',
    'new.retired_at is not null',
  ),
];

const shown = (table: string, bound: string) => `
  create view shown_${table} as select * from ${table} as g where not exists (
    select 1 from graph_resets x where x.collection_id = g.collection_id and g.key <= x.${bound})`;

export const views: readonly string[] = [
  shown('graph_entities', 'entity_key'),
  shown('graph_relationships', 'relationship_key'),
  shown('graph_communities', 'community_key'),
];

/** These keep graph and versions consistent, whichever statement removes a chunk, a document or a membership. */
export const triggers: readonly string[] = [...graph, ...versions, ...noLongerIndexed];
