import { estimateTokens } from '../../documents/estimate-tokens.ts';
import type { GraphPassage } from '../graph.ts';

/** Passages that one call reads. */
const DEFAULT_PASSAGES_PER_CALL = 4;
/** A model asked to read more leaves more out. */
const MAX_TOKENS_PER_CALL = 4_000;

/** Neighbouring passages together, as many as asked for and as one call may read; a passage is never cut. */
export function batchPassages<Passage extends Pick<GraphPassage, 'text'>>(
  passages: readonly Passage[],
  perCall = DEFAULT_PASSAGES_PER_CALL,
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
