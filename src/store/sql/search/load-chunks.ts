import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata } from '../../../documents/document.ts';
import { toChunk } from '../chunk-rows.ts';
import type { Reading } from './read-snapshot.ts';

/** The visible ones among these chunks, by key. */
export function loadChunks(reading: Reading, keys: readonly number[]): Map<number, Chunk> {
  const chunks = new Map<number, Chunk>();
  for (const row of reading.rows(CHUNKS, JSON.stringify(keys))) {
    const [key, id, ordinal, text, start_offset, end_offset, page, heading_path, metadata, ...document] = row;
    const [documentId, ownerId, title, type, version, documentMetadata, collectionIds] = document.map(String);
    const chunk = toChunk(
      {
        id: String(id),
        ordinal: Number(ordinal),
        text: String(text),
        start_offset: Number(start_offset),
        end_offset: Number(end_offset),
        page: page === null ? null : Number(page),
        heading_path: String(heading_path),
        metadata: String(metadata),
      },
      {
        id: documentId ?? '',
        ownerId: ownerId ?? '',
        collectionIds: JSON.parse(collectionIds ?? '[]') as string[],
        metadata: JSON.parse(documentMetadata ?? '{}') as Metadata,
        title: title ?? '',
        type: type ?? '',
        version: version ?? '',
      },
    );
    chunks.set(Number(key), chunk);
  }
  return chunks;
}

const CHUNKS = `
  select c.key, c.id, c.ordinal, c.text, c.start_offset, c.end_offset, c.page, c.heading_path, c.metadata,
    d.id, d.owner_id, d.title, d.type, d.version, d.metadata,
    (select json_group_array(dc.collection_id) from document_collections dc where dc.document_key = d.key)
  from json_each(?) as wanted
  cross join chunks c on c.key = wanted.value
  cross join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0`;
