import type { DistanceMeasure } from '../../chunk-search.ts';

/** Minimum; 800 candidates of 25,000 real vectors included 99.9 % of the ten nearest ones (docs/performance.md). */
const MIN_CANDIDATES = 800;
const CANDIDATES_PER_HIT = 4;
/** Used if the alternative is to compare all chunks that pass a filter. */
const CANDIDATES_PER_HIT_WITHIN_FILTER = 8;
/** Used if the measure orders vectors differently from the angle, which the codes estimate. */
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
  return Math.max(MIN_CANDIDATES, perHit * limit);
}
