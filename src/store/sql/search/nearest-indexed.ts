import type { Database } from '../database.ts';
import { listLengths, withoutRepeats } from './fixed-lists.ts';
import type { NearestPlan, NearestQuery } from './nearest-chunks.ts';
import { type LocatedHit, locateHits } from './packed-hits.ts';

/** A search of an index in the database, which filters and ranks in one query. */
export interface IndexedQuery extends NearestQuery {
  /** How to find the nearest chunks: by the index's graph, which may miss some, or by comparing all that pass. */
  readonly scan: Scan;
  /** Further chunks to compare: those the index does not hold yet, and those of earlier versions. */
  readonly others: readonly number[];
}

type Scan =
  | { readonly kind: 'all' }
  /** `expected`: estimated number of vectors visited until enough of them pass the filter. */
  | { readonly kind: 'graph'; readonly expected: number };

interface IndexedSearch {
  readonly plan: NearestPlan;
  readonly query: NearestQuery;
  readonly firstListLength: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Up to this many vectors, comparing all is faster than the graph. */
const MAX_EXHAUSTIVE = 2_000;
/** Visiting a vector through the graph costs as much as comparing this many vectors. */
const COMPARISONS_PER_VECTOR = 3;

/** The nearest chunks. Undefined if the index holds fewer of the visible chunks than the records do. */
export async function searchIndexed(
  nearestIndexed: NonNullable<Database['search']['nearestIndexed']>,
  { plan, query, firstListLength, signal }: IndexedSearch,
): Promise<readonly LocatedHit[] | undefined> {
  const { limit } = query;
  const others = [...plan.pending, ...plan.past];
  let found: readonly LocatedHit[] = [];
  for (const length of listLengths(firstListLength)) {
    const expected = vectorsVisited(plan, query, length);
    if (expected === undefined) break;
    const scan = { kind: 'graph', expected } as const;
    const list = await nearestIndexed(
      { ...query, limit: length, shown: Math.min(query.shown, length), scan, others },
      signal,
    );
    if (list.best.keys.length < Math.min(length, plan.matching)) break;
    found = withoutRepeats(found, locateHits(list));
    if (found.length >= Math.min(limit, plan.matching)) return found.slice(0, limit);
  }
  const all = await nearestIndexed({ ...query, scan: { kind: 'all' }, others }, signal);
  if (all.best.keys.length < Math.min(limit, plan.matching)) return undefined;
  return withoutRepeats(found, locateHits(all)).slice(0, limit);
}

/** Estimated number of vectors visited until `wanted` pass the filter; undefined if comparing all of them is faster. */
function vectorsVisited(
  { visible, matching: all, past }: NearestPlan,
  { filter }: NearestQuery,
  wanted: number,
): number | undefined {
  const matching = all - past.length;
  // The chunks of these filters are a list of keys, which cannot be checked while the graph is searched.
  if (filter?.phraseFilters !== undefined || filter?.past !== undefined) return undefined;
  if (matching <= MAX_EXHAUSTIVE) return undefined;
  const expected = Math.ceil((wanted * visible * 1.25) / matching) + 10;
  return expected > Math.max(MAX_EXHAUSTIVE, matching / COMPARISONS_PER_VECTOR) ? undefined : expected;
}
