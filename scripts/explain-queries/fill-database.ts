import type { DatabaseSync } from 'node:sqlite';

const TIME = "'2026-01-01T00:00:00.000Z'";
const CHUNKS_PER_DOCUMENT = 10;

/** Fills the large tables by SQL: documents of ten chunks each, with entities and relationships. */
export function fillDatabase(database: DatabaseSync, chunks: number): void {
  const documents = chunks / CHUNKS_PER_DOCUMENT;
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const id = (letter: string) => `printf('${letter}0000000-0000-4000-8000-%012d', i)`;
  database.exec('pragma foreign_keys = off; begin');
  database.exec(`
    insert into collections (id, owner_id, name, created_at, updated_at)
      values ('c0000000-0000-4000-8000-000000000001', 'owner', 'All', ${TIME}, ${TIME});
    ${numbers(documents)} insert into documents (id, owner_id, type, title, metadata, version, source, file_name, media_type, size_in_bytes,
      content_hash, ingestion_status, extraction_status, attempt, settings, total_tokens, text_length, chunk_count, generation,
      created_at, updated_at, published_at)
      select ${id('d')}, 'owner', 'txt', 'Document ' || i, '{}', 'v0', 'file:///d/' || i, 'd.txt', 'text/plain', 1000, 'h' || i, 'success',
      'success', 1, '{}', 100, 1000, ${CHUNKS_PER_DOCUMENT}, 1, ${TIME}, ${TIME}, ${TIME} from n;
    insert into document_texts (document_key, text, pages) select key, 'text', '[]' from documents;
    insert into document_collections select key, 'c0000000-0000-4000-8000-000000000001' from documents;
    ${numbers(chunks)} insert into chunks (id, document_key, generation, ordinal, text, start_offset, end_offset, heading_path, metadata)
      select ${id('e')}, (i - 1) / ${CHUNKS_PER_DOCUMENT} + 1, 1, (i - 1) % ${CHUNKS_PER_DOCUMENT}, 'passage ' || i, 0, 100, '[]', '{}' from n;
    ${numbers(documents)} insert into graph_names (folded, name) select 'name ' || i, 'Name ' || i from n;
    ${numbers(chunks)} insert into document_entities (document_key, name_key, name, description, metadata, mentions, created_at, updated_at)
      select (i - 1) / 10 + 1, (i * 7) % ${documents} + 1, 'Name', '', '{}', 1, ${TIME}, ${TIME} from n where true on conflict do nothing;
    insert into entity_mentions select key, key, 0, 4 from document_entities;
    insert into document_relationships (document_key, subject_key, object_key, predicate, description, weight, metadata, created_at, updated_at)
      select a.document_key, a.key, b.key, 'knows', '', 1, '{}', ${TIME}, ${TIME} from document_entities a
      join document_entities b on b.key = a.key + 1 and b.document_key = a.document_key;
    insert into relationship_mentions select key, subject_key, 0, 4 from document_relationships;
    insert into document_graphs (document_key, extractor, extracted_at) select key, 'test', ${TIME} from documents;
    insert into conversations (id, user_id, created_at) values ('a', 'owner', ${TIME});`);
  database.exec('commit; analyze');
}
