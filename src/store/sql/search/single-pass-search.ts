import { EXACT_SEARCH_LIMIT } from './index-request.ts';
import { bestAmong, bestExactly, type NearestPlan, type NearestQuery, planNearest, toList } from './nearest-chunks.ts';
import { type NearestList, type PackedHits, unpackHits } from './packed-hits.ts';
import type { Reading } from './read-snapshot.ts';

/** A search that is planned and, if nothing outside the records is needed, answered from one snapshot of them. */
export interface SinglePassQuery extends Omit<NearestQuery, 'space'> {
  /** The index's hits for the expected plan, and the key of the space in which they were found. */
  readonly prefetched?: (PackedHits & { readonly spaceKey: number; readonly limit: number }) | undefined;
}

export interface SinglePassAnswer {
  readonly plan: NearestPlan;
  /** Undefined if the index has to be queried. */
  readonly list?: SinglePassList;
}

export interface SinglePassList extends NearestList {
  /** Whether all passing vectors were compared, so that the early hits were not needed. */
  readonly isExact: boolean;
}

/** Plans a search. Compares all passing vectors if they are few, or else ranks the early hits of the index. */
export function nearestSinglePass(reading: Reading, { prefetched, ...query }: SinglePassQuery): SinglePassAnswer {
  const plan = planNearest(reading, query.filter);
  const { space, matching, pending, past } = plan;
  if (space === null || space.dimensions !== query.vector.length || matching === 0 || query.limit === 0)
    return { plan };
  if (matching - past.length <= EXACT_SEARCH_LIMIT) {
    return { plan, list: { ...toList(reading, bestExactly(reading, { ...query, space }), query), isExact: true } };
  }
  if (prefetched?.spaceKey !== space.key) return { plan };
  const limit = Math.min(query.limit, prefetched.limit);
  const hits = unpackHits(prefetched);
  const others = [...pending, ...past];
  const best = bestAmong(reading, { ...query, space, limit: prefetched.limit, hits, others });
  const shown = Math.min(query.shown, limit);
  return { plan, list: { ...toList(reading, best, { ...query, shown }), isExact: false } };
}
