import { type NearestList, type NearestQuery, nearestAmong, passesFilter } from '../search/nearest-chunks.ts';
import type { Reading } from '../search/read-snapshot.ts';
import { codingOf } from './coding-of.ts';
import { likelyKeys } from './likely-keys.ts';
import type { CodeSegment } from './loaded-codes.ts';

export interface CodesQuery extends NearestQuery {
  readonly segments: readonly CodeSegment[];
  /** Chunks that have no codes and are compared as well. */
  readonly others: readonly number[];
}

/** Candidates for a short list; of 25,000 real vectors, 800 held 99.9 % of the ten nearest ones (docs/performance.md). */
const FEWEST_CANDIDATES = 800;
const CANDIDATES_PER_HIT = 4;
/** Where the order by angle, which the codes estimate, is not that of the measure. */
const CANDIDATES_PER_HIT_OTHERWISE = 20;

/** Number of candidates whose vectors are compared. */
export const candidatesFor = ({ measure, limit }: NearestQuery): number =>
  Math.max(
    FEWEST_CANDIDATES,
    limit * (measure === 'cosine_distance' ? CANDIDATES_PER_HIT : CANDIDATES_PER_HIT_OTHERWISE),
  );

/** The best hits among the chunks whose codes are the most alike, by their stored vectors. */
export function nearestByCodes(reading: Reading, query: CodesQuery): NearestList {
  const count = candidatesFor(query);
  const passes = passesFilter(reading, query.filter);
  const likely = likelyKeys(codingOf(query.space.dimensions), { ...query, count, passes });
  return nearestAmong(reading, { ...query, hits: [], others: [...likely, ...query.others] });
}
