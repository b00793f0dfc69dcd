import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Metadata } from '../../../documents/document.ts';
import type { Publication } from '../../corpus.ts';
import { addDocumentFullText, addStagedFullText, removeDocumentFullText } from '../full-text/full-text-rows.ts';
import { keepMentions } from '../graph/keep-mentions.ts';
import { addPendingRemoval } from '../index-sync/outbox.ts';
import { toHeadingsJson } from '../outline-rows.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { forgetKept, moveKept } from '../versions/kept-chunks.ts';
import { nextLabel, recordVersion, timestampAfter } from '../versions/record-version.ts';
import { retireVersions } from '../versions/retire-versions.ts';
import { type DocumentRow, readSubmitted, toColumns } from './document-rows.ts';
import { descriptionOf, setCollections, update } from './ingestions.ts';

export interface Replacement {
  readonly publication: Omit<Publication, 'chunks' | 'embeddedIn'>;
  readonly chunkCount: number;
  readonly versionsKept: number;
}

/**
 * Makes the staged and kept chunks the visible content of a document, and records the previous content as a version. To
 * be called in a transaction that also records the pending index writes.
 */
export async function replaceVisible(database: Queries, row: DocumentRow, replacement: Replacement): Promise<void> {
  const { publication, chunkCount, versionsKept } = replacement;
  const submitted = readSubmitted(row);
  const described = descriptionOf(row);
  const summary = await summaryOf(database, row, publication);
  const columns = {
    ...(submitted === null ? {} : toColumns(submitted)),
    title: publication.title ?? described.title,
    type: publication.type ?? described.type,
    metadata: JSON.stringify({ ...described.metadata, ...publication.metadata }),
    summary: summary.summary,
  };
  const isDifferent = await hasDifferentContent(database, row, { ...row, ...columns }, replacement);
  const at = timestampAfter(row.published_at);
  const follows = isDifferent && row.generation > 0;
  if (follows) await recordVersion(database, row, { at, keepsContent: versionsKept > 0 });

  const hasNewChunks = await changesChunks(database, row);
  await dropFullText(database, row, columns.title !== row.title);
  if (row.generation > 0) {
    await keepMentions(database, row);
    await moveKept(database, row);
    await removeGone(database, row);
  }
  if (submitted !== null) await setCollections(database, row.key, submitted.collectionIds);
  await update(database, row.key, {
    ...columns,
    ...summary,
    ...(isDifferent && { published_at: at }),
    ...(follows && { version: nextLabel(row.version) }),
    submitted: null,
    total_tokens: publication.totalTokens,
    text_length: publication.text.length,
    chunk_count: chunkCount,
    generation: row.generation + 1,
    ingestion_status: 'success',
    // Unchanged chunks need no new extraction, which may cost money.
    ...(hasNewChunks && { extraction_status: 'pending' }),
    failure: null,
  });
  const text = {
    text: publication.text,
    pages: JSON.stringify(publication.pages),
    headings: toHeadingsJson(publication.headings),
  };
  await database
    .insertInto('document_texts')
    .values({ document_key: row.key, ...text })
    .onConflict((conflict) => conflict.column('document_key').doUpdateSet(text))
    .execute();
  await addStagedFullText(database, row.key, { includesKept: columns.title !== row.title });
  await addDocumentFullText(database, row.key);
  if (row.generation > 0) {
    await database.deleteFrom('visible_originals').where('document_key', '=', row.key).execute();
    await forgetKept(database, row.key);
  }
  if (follows && versionsKept > 0) await retireVersions(database, row.key, versionsKept);
}

/**
 * Keeps a model's summary if the text is unchanged; otherwise uses the extract until the model has written a new
 * summary.
 */
async function summaryOf(database: Queries, row: DocumentRow, publication: Publication) {
  const { summary, summaryBy, summaryModel } = publication;
  if (summaryBy !== undefined) {
    const summary_status = summaryBy === null ? 'none' : 'success';
    return { summary, summary_by: summaryBy, summary_status, summary_note: null };
  }
  if (row.summary_by !== null && row.summary_by === summaryModel && (await hasText(database, row, publication.text))) {
    return { summary: row.summary, summary_by: row.summary_by, summary_status: 'success', summary_note: null };
  }
  const summary_status = summaryModel === undefined ? 'none' : 'pending';
  return { summary, summary_by: null, summary_status, summary_note: null };
}

async function hasText(database: Queries, { key }: DocumentRow, text: string): Promise<boolean> {
  const row = await database
    .selectFrom('document_texts')
    .select('text')
    .where('document_key', '=', key)
    .executeTakeFirst();
  return row?.text === text;
}

/**
 * Whether the content changed: a document that is ingested again with the same description, text and chunks makes no
 * version.
 */
async function hasDifferentContent(
  database: Queries,
  now: DocumentRow,
  next: DocumentRow,
  { publication }: Replacement,
): Promise<boolean> {
  if (now.generation === 0) return true;
  const described = ['content_hash', 'title', 'type', 'file_name', 'media_type', 'source', 'summary'] as const;
  if (described.some((name) => now[name] !== next[name])) return true;
  if (!isDeepStrictEqual(JSON.parse(now.metadata) as Metadata, JSON.parse(next.metadata) as Metadata)) return true;
  const { rows } = await sql<{ changed: number }>`
    select (select count(*) from kept_chunks where document_key = ${now.key}) <> ${now.chunk_count}
      or exists (select 1 from chunks where document_key = ${now.key} and generation > ${now.generation})
      or (select text from document_texts where document_key = ${now.key}) is distinct from ${publication.text} as changed`.execute(
    database,
  );
  return rows[0]?.changed !== 0;
}

async function changesChunks(database: Queries, { key, generation, chunk_count }: DocumentRow): Promise<boolean> {
  if (generation === 0) return true;
  const { rows } = await sql<{ changed: number }>`
    select (select count(*) from kept_chunks where document_key = ${key}) <> ${chunk_count}
      or exists (select 1 from chunks where document_key = ${key} and generation > ${generation}) as changed`.execute(
    database,
  );
  return rows[0]?.changed !== 0;
}

/** Unchanged chunks keep their full-text entries, unless the title, which the entries include, has changed. */
async function dropFullText(database: Queries, { key, generation }: DocumentRow, isRenamed: boolean): Promise<void> {
  if (generation === 0) return;
  const kept = isRenamed ? sql`select 0` : sql`select chunk_key from kept_chunks where document_key = ${key}`;
  const dropped = sql`
    select key from chunks where document_key = ${key} and generation = ${generation} and key not in (${kept})`;
  await dialectOf(database).fullText.remove(database, 'chunk_terms', dropped);
  await removeDocumentFullText(database, key);
}

async function removeGone(database: Queries, { key, generation }: DocumentRow): Promise<void> {
  const removed = await database
    .selectFrom('chunks')
    .select('key')
    .where('document_key', '=', key)
    .where('generation', '<=', generation)
    .execute();
  if (removed.length === 0) return;
  await addPendingRemoval(
    database,
    removed.map((chunk) => chunk.key),
  );
  await database.deleteFrom('chunks').where('document_key', '=', key).where('generation', '<=', generation).execute();
}
