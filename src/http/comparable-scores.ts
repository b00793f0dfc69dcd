import type { ScoredChunk } from '../documents/chunk.ts';

/**
 * Scores from 0 to 1 that are comparable between searches, in the order of the hits. Fused scores are not, so the best
 * hit gets the highest similarity found, and the others are scaled in proportion to their score. The hits must come
 * from a search with `explain`.
 */
export function comparableScores(hits: readonly ScoredChunk[]): number[] {
  const [best] = hits;
  if (best === undefined) return [];
  const similarity = Math.max(0, ...hits.map(({ semantic }) => semantic?.score ?? 0));
  return hits.map(({ score }) => Math.min(1, best.score > 0 ? (similarity * score) / best.score : similarity));
}
