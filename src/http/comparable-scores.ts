import type { ScoredChunk } from '../documents/chunk.ts';

/**
 * Scores from 0 to 1 that callers may compare between searches, in the order of the hits. Scores of fusion say nothing
 * across searches, so the best hit gets the highest similarity found, and the others their share of it. Needs hits that
 * were searched with `explain`.
 */
export function comparableScores(hits: readonly ScoredChunk[]): number[] {
  const [best] = hits;
  if (best === undefined) return [];
  const similarity = Math.max(0, ...hits.map(({ semantic }) => semantic?.score ?? 0));
  return hits.map(({ score }) => Math.min(1, best.score > 0 ? (similarity * score) / best.score : similarity));
}
