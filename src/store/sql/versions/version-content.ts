import { type RawBuilder, sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { PageSpan } from '../../../documents/document.ts';
import type { ExtractedText, Page, Paged } from '../../corpus.ts';
import { type ChunkRow, toChunk } from '../chunk-rows.ts';
import { toDocuments } from '../document-rows.ts';
import { VERSION_CHUNKS } from '../search/past-tables.ts';
import type { Queries } from '../space-rows.ts';
import type { RowThen } from './row-then.ts';

/** The original bytes of a version. */
export async function bytesThen(database: Queries, { key, version_key }: RowThen): Promise<Uint8Array | undefined> {
  const query =
    version_key > 0
      ? sql<{ bytes: Uint8Array }>`select bytes from version_files where version_key = ${version_key}`
      : // Those of a successor that waits to be read are not what is seen.
        sql<{ bytes: Uint8Array }>`
          select coalesce(o.bytes, f.bytes) as bytes from document_files f
          left join visible_originals o on o.document_key = f.document_key where f.document_key = ${key}`;
  return (await query.execute(database)).rows[0]?.bytes;
}

export async function textThen(database: Queries, { key, version_key }: RowThen): Promise<ExtractedText | undefined> {
  const query =
    version_key > 0
      ? sql<{ text: string; pages: string }>`select text, pages from version_texts where version_key = ${version_key}`
      : sql<{ text: string; pages: string }>`select text, pages from document_texts where document_key = ${key}`;
  const row = (await query.execute(database)).rows[0];
  return row && { text: row.text, pages: JSON.parse(row.pages) as PageSpan[] };
}

/** The chunks of a version, as rows with their keys, to select from. */
export const chunksThen = ({ key, generation, version_key }: RowThen): RawBuilder<ChunkRow & { key: number }> =>
  version_key > 0
    ? sql`select * from (${sql.raw(VERSION_CHUNKS)}) where version_key = ${version_key}`
    : sql`select * from chunks where document_key = ${key} and generation = ${generation}`;

export async function readChunksThen(database: Queries, row: RowThen, { offset, limit }: Page): Promise<Paged<Chunk>> {
  const { rows } = await sql<ChunkRow>`
    select * from (${chunksThen(row)}) order by ordinal limit ${limit} offset ${offset}`.execute(database);
  const [parent] = await toDocuments(database, [row]);
  const items = parent === undefined ? [] : rows.map((chunk) => toChunk(chunk, parent));
  return { items, total: row.chunk_count };
}
