import { estimateTokens } from '../../documents/estimate-tokens.ts';
import type { GraphChunk } from '../graph.ts';

/** Default number of chunks per call. */
const DEFAULT_CHUNKS_PER_CALL = 4;
/** With longer inputs, models leave out more. */
const MAX_TOKENS_PER_CALL = 4_000;

/** Batches consecutive chunks up to the requested number and the token limit of a call; a chunk is never split. */
export function batchChunks<Passage extends Pick<GraphChunk, 'text'>>(
  passages: readonly Passage[],
  perCall = DEFAULT_CHUNKS_PER_CALL,
): Passage[][] {
  const batches: Passage[][] = [];
  let tokens = 0;
  for (const passage of passages) {
    if (!/[\p{L}\p{N}]/u.test(passage.text)) continue;
    const own = estimateTokens(passage.text);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length >= perCall || tokens + own > MAX_TOKENS_PER_CALL) {
      batches.push([passage]);
      tokens = own;
    } else {
      batch.push(passage);
      tokens += own;
    }
  }
  return batches;
}
