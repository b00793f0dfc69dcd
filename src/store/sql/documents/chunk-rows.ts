import type { Selectable } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Document, Metadata } from '../../../documents/document.ts';
import type { ChunkTable } from './document-tables.ts';

export type ChunkRow = Omit<
  Selectable<ChunkTable>,
  'key' | 'document_key' | 'generation' | 'embedding_hash' | 'context'
>;

/** The fields a chunk inherits from its document. */
export type ChunkParent = Pick<
  Document,
  'id' | 'ownerId' | 'collectionIds' | 'metadata' | 'title' | 'type' | 'version' | 'publishedAt' | 'isReplaced'
>;

/** Converts a row to a chunk of `parent`. */
export function toChunk(row: ChunkRow, parent: ChunkParent): Chunk {
  return {
    id: row.id,
    documentId: parent.id,
    ownerId: parent.ownerId,
    collectionIds: parent.collectionIds,
    text: row.text,
    order: row.ordinal,
    start: row.start_offset,
    end: row.end_offset,
    page: row.page,
    headingPath: JSON.parse(row.heading_path) as string[],
    version: parent.version,
    publishedAt: parent.publishedAt ?? null,
    ...(parent.isReplaced && { isReplaced: true }),
    metadata: {
      ...parent.metadata,
      title: parent.title,
      document_type: parent.type,
      version: parent.version,
      chunk_order: row.ordinal,
      ...(row.page === null ? {} : { page_number: row.page }),
      ...(JSON.parse(row.metadata) as Metadata),
    },
  };
}
