import { type RawBuilder, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import { withPlaces } from '../../../documents/places.ts';
import type { ExtractedText, Page, Paged } from '../../corpus.ts';
import { type ChunkRow, toChunk } from '../documents/chunk-rows.ts';
import { toDocuments } from '../documents/document-rows.ts';
import { foundVisible } from '../originals/original-records.ts';
import { type FoundOriginal, type WantedBytes, wantedBytes } from '../originals/record-pieces.ts';
import { toExtractedText } from '../outline-rows.ts';
import { VERSION_CHUNKS } from '../search/past-tables.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import type { RowAsOf } from './row-as-of.ts';

/** Finds the original file of a version in the records. */
export async function originalAsOf(
  database: Queries,
  { key, version_key, content_hash }: RowAsOf,
  wanted: WantedBytes,
): Promise<FoundOriginal | undefined> {
  const query =
    version_key > 0
      ? sql<Omit<FoundOriginal, 'identity'>>`
          select ${wantedBytes(sql`bytes`, wanted)} as bytes, octet_length(bytes) as size, object
          from version_files where version_key = ${version_key}`
      : // A file that waits to replace the visible content is not part of this version.
        sql<Omit<FoundOriginal, 'identity'>>`
          select ${foundVisible(wanted)} from document_files f
          left join visible_originals o on o.document_key = f.document_key where f.document_key = ${key}`;
  const found = (await query.execute(database)).rows[0];
  return found && { ...found, identity: content_hash };
}

interface TextRow {
  readonly text: string;
  readonly pages: string;
  readonly headings: string;
}

export async function textAsOf(database: Queries, { key, version_key }: RowAsOf): Promise<ExtractedText | undefined> {
  const query =
    version_key > 0
      ? sql<TextRow>`select text, pages, headings from version_texts where version_key = ${version_key}`
      : sql<TextRow>`select text, pages, headings from document_texts where document_key = ${key}`;
  const row = (await query.execute(database)).rows[0];
  return row && toExtractedText(row);
}

/** Subquery that selects the chunks of a version, with their keys. */
export const chunksAsOf = ({ key, generation, version_key }: RowAsOf): RawBuilder<ChunkRow & { key: number }> =>
  version_key > 0
    ? sql`select * from (${sql.raw(VERSION_CHUNKS)}) as m where version_key = ${version_key}`
    : sql`select * from chunks where document_key = ${key} and generation = ${generation}`;

export async function readChunksAsOf(database: Queries, row: RowAsOf, { offset, limit }: Page): Promise<Paged<Chunk>> {
  const { rows } = await sql<ChunkRow>`
    select * from (${chunksAsOf(row)}) as c order by ordinal limit ${limit} offset ${offset}`.execute(database);
  const [parent] = await toDocuments(database, [row]);
  const outline = await textAsOf(database, row);
  const items = parent === undefined ? [] : rows.map((chunk) => withPlaces(toChunk(chunk, parent), outline));
  return { items, total: row.chunk_count };
}
