import type { FoundChunk } from '../../chunk-search.ts';
import type { Database } from '../database.ts';
import { concatenateHits, listLengths } from './fixed-lists.ts';
import type { NearestPlan, NearestQuery } from './nearest-chunks.ts';

/** A search of an index that is in the database, where filter and ranking are one query. */
export interface IndexedQuery extends NearestQuery {
  /** How the nearest are found: by the index's graph, which may miss some, or by comparing all that pass. */
  readonly scan: Scan;
  /** Further chunks to compare: those the index lacks yet, and those of earlier versions. */
  readonly others: readonly number[];
}

type Scan =
  | { readonly kind: 'all' }
  /** `expected`: number of vectors that are met until enough of them pass the filter. */
  | { readonly kind: 'graph'; readonly expected: number };

interface IndexedSearch {
  readonly plan: NearestPlan;
  readonly query: NearestQuery;
  readonly firstListLength: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Up to this many vectors, comparing all is faster than the graph. */
const FEW = 2_000;
/** A vector that the graph meets costs as much as comparing this many. */
const COMPARISONS_PER_VECTOR = 3;

/** The nearest chunks. Undefined when the index holds fewer of the visible ones than the records do. */
export async function searchIndexed(
  nearestIndexed: NonNullable<Database['search']['nearestIndexed']>,
  { plan, query, firstListLength, signal }: IndexedSearch,
): Promise<readonly FoundChunk[] | undefined> {
  const { limit } = query;
  const others = [...plan.pending, ...plan.past];
  let found: readonly FoundChunk[] = [];
  for (const length of listLengths(firstListLength)) {
    const expected = vectorsMet(plan, query, length);
    if (expected === undefined) break;
    const scan = { kind: 'graph', expected } as const;
    const list = await nearestIndexed(
      { ...query, limit: length, shown: Math.min(limit, length), scan, others },
      signal,
    );
    if (list.count < Math.min(length, plan.matching)) break;
    found = concatenateHits(found, list.hits);
    if (found.length >= Math.min(limit, plan.matching)) return found.slice(0, limit);
  }
  const all = await nearestIndexed({ ...query, scan: { kind: 'all' }, others }, signal);
  if (all.count < Math.min(limit, plan.matching)) return undefined;
  return concatenateHits(found, all.hits).slice(0, limit);
}

/** How many vectors the graph meets until so many pass the filter; undefined when comparing all that pass is faster. */
function vectorsMet(
  { visible, matching: all, past }: NearestPlan,
  { filter }: NearestQuery,
  wanted: number,
): number | undefined {
  const matching = all - past.length;
  // Their chunks are a list of keys, which cannot be checked while the graph is searched.
  if (filter?.phraseFilters !== undefined || filter?.past !== undefined) return undefined;
  if (matching <= FEW) return undefined;
  const expected = Math.ceil((wanted * visible * 1.25) / matching) + 10;
  return expected > Math.max(FEW, matching / COMPARISONS_PER_VECTOR) ? undefined : expected;
}
