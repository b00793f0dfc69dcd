import type { DistanceMeasure } from '../../chunk-search.ts';

/** Candidates for a short list; of 25,000 real vectors, 800 held 99.9 % of the ten nearest ones (docs/performance.md). */
const FEWEST_CANDIDATES = 800;
const CANDIDATES_PER_HIT = 4;
/** Where all chunks that pass a filter could be compared as well. */
const CANDIDATES_PER_HIT_WITHIN_FILTER = 8;
/** Where the order by angle, which the codes estimate, is not that of the measure. */
const CANDIDATES_PER_HIT_OTHERWISE = 20;

export interface CandidatesQuery {
  readonly measure: DistanceMeasure;
  readonly limit: number;
  /** Whether the codes take the place of an exhaustive comparison rather than of the index. */
  readonly isInsteadOfAll: boolean;
}

/** The number of chunks that are selected by their codes and compared by their vectors. */
export function countCandidates({ measure, limit, isInsteadOfAll }: CandidatesQuery): number {
  const ofAngle = isInsteadOfAll ? CANDIDATES_PER_HIT_WITHIN_FILTER : CANDIDATES_PER_HIT;
  const perHit = measure === 'cosine_distance' ? ofAngle : CANDIDATES_PER_HIT_OTHERWISE;
  return Math.max(FEWEST_CANDIDATES, perHit * limit);
}
