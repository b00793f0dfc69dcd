import { bestKeys } from '../search/best-keys.ts';
import { type NearestList, type NearestQuery, nearestAmong, passesFilter } from '../search/nearest-chunks.ts';
import type { Reading } from '../search/read-snapshot.ts';
import { codingOf } from './coding-of.ts';
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

/** The best hits among the chunks whose codes are the most alike, by their stored vectors. */
export function nearestByCodes(reading: Reading, query: CodesQuery): NearestList {
  const { measure, limit } = query;
  const perHit = measure === 'cosine_distance' ? CANDIDATES_PER_HIT : CANDIDATES_PER_HIT_OTHERWISE;
  const likely = likelyKeys(reading, query, Math.max(FEWEST_CANDIDATES, perHit * limit));
  return nearestAmong(reading, { ...query, hits: [], others: [...likely, ...query.others] });
}

function likelyKeys(reading: Reading, { space, vector, filter, segments }: CodesQuery, count: number): number[] {
  const { bytes, weights: weigh } = codingOf(space.dimensions);
  const weights = weigh(vector);
  const passes = passesFilter(reading, filter);
  const best = bestKeys(count);
  for (const { keys, codes, count: rows } of segments) {
    for (let row = 0; row < rows; row++) {
      const key = keys[row] ?? 0;
      if (!passes(key)) continue;
      let sum = 0;
      let at = row * bytes;
      for (let place = 0; place < bytes; place++) sum += weights[(place << 8) | (codes[at++] ?? 0)] ?? 0;
      best.offer(key, sum);
    }
  }
  return best.take().map(({ key }) => key);
}
