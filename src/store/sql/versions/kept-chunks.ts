import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { NewChunk } from '../../corpus.ts';
import type { DocumentRow } from '../documents/document-rows.ts';
import { inBatches } from '../sqlite/key-ranges.ts';
import type { EmbeddingText } from '../vector-spaces/fill-space.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** Hash of a chunk's embedded text: equal hashes mean equal vectors in every space. */
export const embeddingHash = (embedded: string): string =>
  createHash('sha256').update(embedded).digest('hex').slice(0, 32);

const ROWS = 100;

export interface ChunksToKeep {
  readonly document: DocumentRow;
  /** The title these chunks were embedded under. */
  readonly title: string;
  readonly chunks: readonly Omit<NewChunk, 'vector'>[];
  /** Rebuilds the embedded text of chunks stored before it was recorded. */
  readonly embeddingText: EmbeddingText;
}

/** A new title changes the full-text terms of every chunk and, with most embedders, its vector: none can be kept. */
export const keepsNone = ({ generation, title }: DocumentRow, newTitle: string): boolean =>
  generation === 0 || title !== newTitle;

/**
 * Records which visible chunks the current ingestion reuses: those with the same text and the same embedded text as a
 * new chunk. Returns the positions of these new chunks. Duplicate chunks are matched in order.
 */
export async function keepChunks(
  database: Queries,
  { document, title, chunks, embeddingText }: ChunksToKeep,
): Promise<ReadonlySet<number>> {
  if (keepsNone(document, title)) return new Set();
  const present = await presentChunks(database, document, embeddingText);
  const rows = chunks.flatMap((chunk) => {
    const { text, order, start, end, page, headingPath, embeddedText } = chunk;
    if (embeddedText === undefined) return [];
    const identical = present.get(identityOf(embeddingHash(embeddedText), JSON.stringify(headingPath), text));
    const chunk_key = identical?.shift();
    if (chunk_key === undefined) return [];
    return [{ document_key: document.key, ordinal: order, chunk_key, start_offset: start, end_offset: end, page }];
  });
  for (const batch of inBatches(rows, ROWS)) await database.insertInto('kept_chunks').values(batch).execute();
  return new Set(rows.map(({ ordinal }) => ordinal));
}

async function presentChunks(
  database: Queries,
  { key, generation, title }: DocumentRow,
  embeddingText: EmbeddingText,
): Promise<Map<string, number[]>> {
  const rows = await database
    .selectFrom('chunks')
    .select(['key', 'text', 'heading_path', 'embedding_hash', 'context'])
    .where('document_key', '=', key)
    .where('generation', '=', generation)
    .where('key', 'not in', (from) =>
      from.selectFrom('kept_chunks').select('chunk_key').where('document_key', '=', key),
    )
    .orderBy('ordinal')
    .execute();
  const present = new Map<string, number[]>();
  for (const row of rows) {
    const headingPath = JSON.parse(row.heading_path) as string[];
    const hash =
      row.embedding_hash ?? embeddingHash(embeddingText({ title, headingPath, text: row.text, context: row.context }));
    const identity = identityOf(hash, row.heading_path, row.text);
    const identical = present.get(identity);
    if (identical === undefined) present.set(identity, [row.key]);
    else identical.push(row.key);
  }
  return present;
}

// The hash alone distinguishes neither an edited chunk nor where the heading ends and the text begins.
const identityOf = (hash: string, headingPath: string, text: string): string => `${hash} ${headingPath} ${text}`;

/** Keys of the chunks the current ingestion reuses. */
export async function keptKeys(database: Queries, documentKey: number): Promise<number[]> {
  const kept = await database
    .selectFrom('kept_chunks')
    .select('chunk_key')
    .where('document_key', '=', documentKey)
    .orderBy('chunk_key')
    .execute();
  return kept.map(({ chunk_key }) => chunk_key);
}

/** Moves the kept chunks to the next generation, at their new positions. */
export async function moveKept(database: Queries, { key, generation }: DocumentRow): Promise<void> {
  await sql`
    update chunks set generation = ${generation + 1}, ordinal = k.ordinal, start_offset = k.start_offset,
      end_offset = k.end_offset, page = k.page
    from kept_chunks k where k.chunk_key = chunks.key and k.document_key = ${key}`.execute(database);
}

export async function forgetKept(database: Queries, documentKey: number): Promise<void> {
  await database.deleteFrom('kept_chunks').where('document_key', '=', documentKey).execute();
}
