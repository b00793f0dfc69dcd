import { sql } from 'kysely';
import type { SqlStore } from '../../src/store/sql/open-store.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');

/** Inserts ready documents of one passage by statements, in seconds where ingesting them takes minutes; on either engine. */
export async function addManyDocuments(store: SqlStore, count: number, ownerId: string): Promise<readonly string[]> {
  const { writer } = store.sqlite;
  const time = new Date(START).toISOString();
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const id = (letter: string) => `'${letter}0000000-0000-4000-8000-' || substr(cast(1000000000000 + i as text), 2)`;
  await sql
    .raw(`
    ${numbers} insert into documents (id, owner_id, type, title, metadata, version, source, file_name, media_type,
      size_in_bytes, content_hash, ingestion_status, extraction_status, attempt, settings, total_tokens, text_length,
      chunk_count, generation, created_at, updated_at, published_at)
    select ${id('d')}, '${ownerId}', 'txt', 'Document ' || i, '{}', 'v0', null, 'd.txt', 'text/plain',
      i * 7919 % 10007, 'h' || i, 'success', 'pending', 1, '{}', 2, 10, 1, 1, '${time}', '${time}', '${time}' from n`)
    .execute(writer);
  await sql
    .raw(`
    insert into chunks (id, document_key, generation, ordinal, text, start_offset, end_offset, heading_path, metadata)
    select 'e' || substr(id, 2), key, 1, 0, 'passage', 0, 7, '[]', '{}' from documents`)
    .execute(writer);
  return Array.from({ length: count }, (_, at) => `d0000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`);
}
