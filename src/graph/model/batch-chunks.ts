import { estimateTokens } from '../../documents/estimate-tokens.ts';
import type { GraphChunk } from '../graph.ts';

/** Default number of chunks per call. */
const DEFAULT_CHUNKS_PER_CALL = 4;
/** Models omit more from longer inputs. */
const MAX_TOKENS_PER_CALL = 4_000;

/** Batches consecutive chunks up to the requested number and the token limit of a call; a chunk is never split. */
export function batchChunks<Chunk extends Pick<GraphChunk, 'text'>>(
  chunks: readonly Chunk[],
  perCall = DEFAULT_CHUNKS_PER_CALL,
): Chunk[][] {
  const batches: Chunk[][] = [];
  let tokens = 0;
  for (const chunk of chunks) {
    if (!/[\p{L}\p{N}]/u.test(chunk.text)) continue;
    const own = estimateTokens(chunk.text);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= perCall || tokens + own > MAX_TOKENS_PER_CALL) {
      batches.push([chunk]);
      tokens = own;
    } else {
      batch.push(chunk);
      tokens += own;
    }
  }
  return batches;
}
