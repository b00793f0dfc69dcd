import { z } from 'zod';
import type { Chunk } from '../../documents/chunk.ts';
import { optional } from './tolerant.ts';

const fileId = z.string().trim().min(1).max(200);

/** Fields of POST /embed besides the file. */
export const embedFields = z.object({ file_id: fileId, entity_id: optional(fileId) });

/** Fields of POST /text besides the file, which is not stored; its id is returned to LibreChat. */
export const textFields = z.object({ file_id: optional(fileId) });

/** Body of POST /query. */
export const queryRequest = z.object({
  query: z.string().trim().min(1),
  file_id: fileId,
  k: z.int().min(1).max(100).default(4),
  entity_id: optional(fileId),
});

/** Body of DELETE /documents. */
export const fileIds = z.array(fileId).min(1).max(1_000);

/** A LangChain document, the format that LibreChat expects. */
export function toLangChainDocument({ text, page, order, metadata }: Chunk, file: string) {
  return {
    page_content: text,
    metadata: { file_id: file, source: String(metadata['title'] ?? file), page, chunk_index: order },
  };
}
