import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata } from '../../../documents/document.ts';
import { type ChunkParent, toChunk } from '../chunk-rows.ts';
import type { Reading } from './read-snapshot.ts';

/** The visible ones among these chunks, by key. */
export function loadChunks(reading: Reading, keys: readonly number[]): Map<number, Chunk> {
  const chunks = new Map<number, Chunk>();
  const parents = new Map<string, ChunkParent>();
  for (const row of reading.rows(CHUNKS, JSON.stringify(keys))) {
    const [key, id, ordinal, text, start_offset, end_offset, page, heading_path, metadata, ...document] = row;
    const documentId = String(document[0]);
    const parent = parents.get(documentId) ?? toParent(document.map(String));
    parents.set(documentId, parent);
    const chunk = {
      id: String(id),
      ordinal: Number(ordinal),
      text: String(text),
      start_offset: Number(start_offset),
      end_offset: Number(end_offset),
      page: page === null ? null : Number(page),
      heading_path: String(heading_path),
      metadata: String(metadata),
    };
    chunks.set(Number(key), toChunk(chunk, parent));
  }
  return chunks;
}

function toParent(columns: readonly string[]): ChunkParent {
  const [id = '', ownerId = '', title = '', type = '', version = '', metadata = '{}', collectionIds = '[]'] = columns;
  return {
    id,
    ownerId,
    title,
    type,
    version,
    metadata: JSON.parse(metadata) as Metadata,
    collectionIds: JSON.parse(collectionIds) as string[],
  };
}

const CHUNKS = `
  select c.key, c.id, c.ordinal, c.text, c.start_offset, c.end_offset, c.page, c.heading_path, c.metadata,
    d.id, d.owner_id, d.title, d.type, d.version, d.metadata,
    (select json_group_array(dc.collection_id) from document_collections dc where dc.document_key = d.key)
  from json_each(?) as wanted
  cross join chunks c on c.key = wanted.value
  cross join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0`;
