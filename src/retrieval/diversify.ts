import type { ScoredChunk } from '../documents/chunk.ts';
import { chunkWords, cosineSimilarity } from './chunk-words.ts';

/** Number of ranks that MMR fills; the remaining chunks keep their order. */
const MAX_DIVERSIFIED = 100;
/** The rank at which relevance falls to half that of the first. */
const HALF_VALUE_RANK = 10;

/**
 * Maximal marginal relevance (MMR): each rank goes to the chunk with the highest relevance, by its original rank, minus
 * its similarity to those chosen before. `diversity` 0 keeps the order, 1 considers only dissimilarity.
 */
export function diversify(chunks: readonly ScoredChunk[], diversity: number): ScoredChunk[] {
  if (diversity === 0) return [...chunks];
  const left = chunks.map((chunk, place) => ({
    chunk,
    relevance: HALF_VALUE_RANK / (HALF_VALUE_RANK + place),
    words: new Set(chunkWords(chunk.text)),
    nearest: 0,
  }));
  const chosen: ScoredChunk[] = [];
  while (left.length > 0 && chosen.length < MAX_DIVERSIFIED) {
    const marginalRelevance = (at: number) => {
      const each = left[at];
      return each === undefined ? 0 : (1 - diversity) * each.relevance - diversity * each.nearest;
    };
    let best = 0;
    for (let at = 1; at < left.length; at++) if (marginalRelevance(at) > marginalRelevance(best)) best = at;
    const [next] = left.splice(best, 1);
    if (next === undefined) break;
    chosen.push(next.chunk);
    for (const each of left) each.nearest = Math.max(each.nearest, cosineSimilarity(each.words, next.words));
  }
  return [...chosen, ...left.map(({ chunk }) => chunk)];
}
