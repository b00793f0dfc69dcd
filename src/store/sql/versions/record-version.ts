import { sql } from 'kysely';
import type { DocumentRow } from '../documents/document-rows.ts';
import { visibleColumns } from '../originals/original-records.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

const LABEL = /^v(\d+)$/;

/** The label of the version after this one. */
export function nextLabel(label: string): string {
  const number = LABEL.exec(label)?.[1];
  return `v${number === undefined ? 1 : Number(number) + 1}`;
}

/** The current time, but never before `earlier`: a clock that was set back must not make validity periods overlap. */
export function timestampAfter(earlier: string | null): string {
  const now = new Date().toISOString();
  return earlier !== null && earlier > now ? earlier : now;
}

/**
 * Records the visible state of a document as a version that ends at `at`, before new content replaces it. Its chunks
 * are only listed: a chunk that is later deleted moves to `past_chunks`, the others are shared. Without `keepsContent`
 * only the row of the version is kept.
 */
export async function recordVersion(
  database: Queries,
  row: DocumentRow,
  { at, keepsContent }: { readonly at: string; readonly keepsContent: boolean },
): Promise<void> {
  const original = await database
    .selectFrom('visible_originals')
    .select('settings')
    .where('document_key', '=', row.key)
    .executeTakeFirst();
  const { key } = await database
    .insertInto('document_versions')
    .values({
      document_key: row.key,
      version: row.version,
      valid_from: row.published_at ?? row.created_at,
      valid_to: at,
      type: row.type,
      title: row.title,
      metadata: row.metadata,
      source: row.source,
      file_name: row.file_name,
      media_type: row.media_type,
      size_in_bytes: row.size_in_bytes,
      content_hash: row.content_hash,
      summary: row.summary,
      summary_by: row.summary_by,
      settings: original?.settings ?? row.settings,
      total_tokens: row.total_tokens,
      text_length: row.text_length,
      chunk_count: row.chunk_count,
      updated_at: row.updated_at,
      ...(keepsContent ? {} : { retired_at: at, receipt: JSON.stringify(EMPTY_RECEIPT) }),
    })
    .returning('key')
    .executeTakeFirstOrThrow();
  if (keepsContent) await keepContent(database, row, key);
}

const EMPTY_RECEIPT = { passages: 0, vectors: 0, fullTextEntries: 0, files: 0 };

async function keepContent(database: Queries, { key, generation }: DocumentRow, version: number): Promise<void> {
  await sql`
    insert into version_chunks (version_key, ordinal, chunk_key, start_offset, end_offset, page)
    select ${version}, ordinal, key, start_offset, end_offset, page from chunks
    where document_key = ${key} and generation = ${generation}`.execute(database);
  await sql`
    insert into version_texts (version_key, text, pages, headings)
    select ${version}, text, pages, headings from document_texts where document_key = ${key}`.execute(database);
  await sql`
    insert into version_files (version_key, bytes, object)
    select ${version}, ${visibleColumns} from document_files f
    left join visible_originals o on o.document_key = f.document_key where f.document_key = ${key}`.execute(database);
  await addVersionTerms(database, version);
}

/** Indexes the version's title and summary for document search. */
async function addVersionTerms(database: Queries, version: number): Promise<void> {
  const described = sql`
    select key, title, '[]' as heading_path, coalesce(summary, '') as text from document_versions where key = ${version}`;
  await dialectOf(database).fullText.add(database, 'version_terms', described);
}
