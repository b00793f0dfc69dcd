import { sql } from 'kysely';
import type { Chunk } from '../../../documents/chunk.ts';
import type { Metadata } from '../../../documents/document.ts';
import { type ChunkRow, toChunk } from '../../sql/documents/chunk-rows.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { numbers } from '../array-values.ts';
import { VISIBLE } from './passing.ts';

interface FoundRow extends ChunkRow {
  readonly key: number;
  readonly document_id: string;
  readonly owner_id: string;
  readonly title: string;
  readonly type: string;
  readonly version: string;
  readonly published_at: string | null;
  readonly document_metadata: string;
  /** JSON list */
  readonly collection_ids: string;
}

/** The visible ones among these chunks, by key. */
export async function loadChunks(database: Queries, keys: readonly number[]): Promise<Map<number, Chunk>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<FoundRow>`
    select c.key, c.id, c.ordinal, c.text, c.start_offset, c.end_offset, c.page, c.heading_path, c.metadata,
      d.id as document_id, d.owner_id, d.title, d.type, d.version, d.published_at, d.metadata as document_metadata,
      (select coalesce(json_agg(dc.collection_id order by dc.collection_id), '[]') from document_collections dc
       where dc.document_key = d.key) as collection_ids
    from ${VISIBLE} where c.key in ${numbers(keys)}`.execute(database);
  return new Map(
    rows.map((row) => {
      const parent = {
        id: row.document_id,
        ownerId: row.owner_id,
        title: row.title,
        type: row.type,
        version: row.version,
        publishedAt: row.published_at,
        metadata: JSON.parse(row.document_metadata) as Metadata,
        collectionIds: JSON.parse(row.collection_ids) as string[],
      };
      return [row.key, toChunk(row, parent)];
    }),
  );
}
