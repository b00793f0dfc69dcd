import type { Chunk } from '../../../documents/chunk.ts';
import type { VectorHit } from '../../vector-index.ts';
import type { ScoredKey } from './best-keys.ts';
import { EXACT_SEARCH_LIMIT } from './index-request.ts';
import { loadChunks } from './load-chunks.ts';
import { bestAmong, bestExactly, type NearestPlan, type NearestQuery, planNearest } from './nearest-chunks.ts';
import type { Reading } from './read-snapshot.ts';

/** A search that is planned and, if nothing outside the records is needed, answered from one snapshot of them. */
export interface SinglePassQuery extends Omit<NearestQuery, 'space'> {
  /** The index's hits for the expected plan, and the key of the space in which they were found. */
  readonly prefetched?: (PackedHits & { readonly spaceKey: number; readonly limit: number }) | undefined;
}

/** Keys and distances of hits, which are copied between threads faster than objects. */
export interface PackedHits {
  readonly keys: Float64Array;
  readonly values: Float64Array;
}

export interface SinglePassAnswer {
  readonly plan: NearestPlan;
  /** Undefined if the index has to be queried. */
  readonly list?: SinglePassList;
}

export interface SinglePassList {
  /** Whether all passing vectors were compared, so that the early hits were not needed. */
  readonly isExact: boolean;
  /** The best chunks and their scores. */
  readonly best: PackedHits;
  /** The first chunks of `best`, as many as are to be shown, by key. */
  readonly chunks: ReadonlyMap<number, Chunk>;
}

export const packHits = (hits: readonly VectorHit[]): PackedHits => ({
  keys: Float64Array.from(hits, ({ key }) => key),
  values: Float64Array.from(hits, ({ distance }) => distance),
});

/** Plans a search. Compares all passing vectors if they are few, or else ranks the early hits of the index. */
export function nearestSinglePass(reading: Reading, { prefetched, ...query }: SinglePassQuery): SinglePassAnswer {
  const plan = planNearest(reading, query.filter);
  const { space, matching, pending, past } = plan;
  if (space === null || space.dimensions !== query.vector.length || matching === 0 || query.limit === 0)
    return { plan };
  if (matching - past.length <= EXACT_SEARCH_LIMIT) {
    return { plan, list: toList(reading, bestExactly(reading, { ...query, space }), { query, isExact: true }) };
  }
  if (prefetched?.spaceKey !== space.key) return { plan };
  const limit = Math.min(query.limit, prefetched.limit);
  const hits = Array.from(
    prefetched.keys,
    (key, place): VectorHit => ({ key, distance: prefetched.values[place] ?? 0 }),
  );
  const others = [...pending, ...past];
  const best = bestAmong(reading, { ...query, space, limit: prefetched.limit, hits, others });
  return {
    plan,
    list: toList(reading, best, { query: { ...query, shown: Math.min(query.shown, limit) }, isExact: false }),
  };
}

function toList(
  reading: Reading,
  best: readonly ScoredKey[],
  {
    query: { shown, filter },
    isExact,
  }: { readonly query: Omit<SinglePassQuery, 'prefetched'>; readonly isExact: boolean },
): SinglePassList {
  const keys = Float64Array.from(best, ({ key }) => key);
  const values = Float64Array.from(best, ({ score }) => 1 + score);
  const read = best.slice(0, shown).map(({ key }) => key);
  const chunks = read.length === 0 ? new Map<number, Chunk>() : loadChunks(reading, read, filter?.past?.at);
  return { isExact, best: { keys, values }, chunks };
}
