import type { Filter } from '../../../documents/filter.ts';
import { ServiceError } from '../../../errors.ts';
import { type ScopeCondition, scopeConditionsOf } from '../../access-scope.ts';
import type { VectorQuery } from '../../chunk-search.ts';
import type { IndexState } from '../../index-state.ts';
import { IndexBusy, isSameSpace, type VectorHit } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import type { OpenCollections } from '../index-sync/open-collections.ts';
import { countCandidates } from '../vector-codes/count-candidates.ts';
import { loadedCodes } from '../vector-codes/loaded-codes.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { answersInTime } from './answers-in-time.ts';
import type { CompiledFilter } from './compile-filter.ts';
import { expectedPlans } from './expected-plans.ts';
import { listLengths } from './fixed-lists.ts';
import {
  EXACT_SEARCH_LIMIT,
  firstListRequest,
  type IndexLimits,
  indexRequest,
  type ListRequest,
  MAX_PAST,
} from './index-request.ts';
import { mayBeTrapped, SAME_DISTANCE } from './may-be-trapped.ts';
import type { NearestPlan, NearestQuery } from './nearest-chunks.ts';
import type { NearestList } from './packed-hits.ts';
import type { SinglePassList } from './single-pass-search.ts';
import { MAX_CACHED_BYTES_PER_FILTER } from './stored-vectors.ts';

export interface IndexSearchParts {
  readonly search: Database['search'];
  readonly collections: Pick<OpenCollections, 'open'>;
  /** State of the vector index, which decides whether it is queried. */
  readonly state: () => IndexState;
  /** Called when the index fails, so that later searches skip it. */
  readonly onFailure?: (error: ServiceError) => void;
  /** If too many hits would be requested, a filter's vectors of up to this many bytes are compared exhaustively. */
  readonly comparedBytes?: number;
}

/** Approximate time to select candidates by their codes: a fixed part, and a part for each vector of common length. */
const CODES_MS = 10;
const CODE_MS = 0.0001;
const expectedCodesMs = ({ visible }: NearestPlan): number => CODES_MS + visible * CODE_MS;
/** Maximum pending chunks that are compared in addition to the index; with more the index counts as out of step. */
const MAX_PENDING = 2_000;

/** Searches the vector index, or the codes of the stored vectors while the index is not in step. */
export function createIndexSearch({
  search,
  collections,
  state,
  onFailure,
  comparedBytes = MAX_CACHED_BYTES_PER_FILTER,
}: IndexSearchParts) {
  const codes = loadedCodes(search.call);
  const index = answersInTime();
  const plans = expectedPlans();
  /** Moving average of the time in which candidates were selected by their codes and compared. */
  let measuredCodesMs = 0;
  /** Collection of an index that was in step before and has been found complete. */
  let complete: string | undefined;

  // Asks the index for the hits of the first list before the filter is evaluated, assuming the plan of its last use.
  // Returns the reason as a string if the index gave no hits; undefined if it was not asked.
  async function prefetchHits(
    query: VectorQuery,
    filter: CompiledFilter,
  ): Promise<PrefetchedHits | string | undefined> {
    const plan = plans.of(filter);
    const { vector, space, limit, signal } = query;
    if (plan === undefined || plan.space === null || limit === 0 || state().kind !== 'in_step') return undefined;
    if (plan.space.dimensions !== vector.length || (space && !isSameSpace(space, plan.space))) return undefined;
    const list = await requestFirstList(plan, plan.space, query);
    if (list === undefined) return undefined;
    const { requested, within } = list.request;
    const hits = await queryIndex(plan.space, { vector, limit: requested, within, signal });
    return typeof hits === 'string' ? hits : { query, space: plan.space, ...list, hits };
  }

  // Undefined if the actual plan needs another request to the index than the expected plan did.
  async function listFromPrefetched(
    prefetched: PrefetchedHits,
    list: SinglePassList,
    plan: NearestPlan,
  ): Promise<SinglePassList | undefined> {
    const { query, space, length, request } = prefetched;
    const now = await requestFirstList(plan, space, query);
    const { requested, within } = now?.request ?? {};
    if (mayBeTrapped(prefetched.hits)) return undefined;
    const isAsPlanned =
      now?.length === length && requested === request.requested && within?.length === request.within.length;
    if (!isAsPlanned || state().kind !== 'in_step' || plan.pending.length > MAX_PENDING) return undefined;
    if (list.best.keys.length < now.request.wanted) return undefined;
    return mayLackEquals(prefetched, list) ? undefined : list;
  }

  // Whether chunks as near as the last one of a list may be missing in it, such as copies of its text. Which of them an
  // index returns depends on their number; all are ranked by their keys, so that pages remain consistent.
  function mayLackEquals({ query, length, hits }: PrefetchedHits, { best: { values } }: SinglePassList): boolean {
    if (length === listLengths(query.firstListLength)[0]) return false;
    const nearest = 1 - (values[length - 1] ?? 0);
    const last = hits.at(-1)?.distance ?? Number.POSITIVE_INFINITY;
    return last - nearest < SAME_DISTANCE;
  }

  async function requestFirstList(
    plan: NearestPlan,
    space: SpaceRow,
    { filter, measure, limit, firstListLength }: VectorQuery,
  ): Promise<ListRequest | undefined> {
    const [length = 0] = listLengths(firstListLength);
    return firstListRequest(plan, { limit, length, measure }, await limitsOf(space, filter));
  }

  // Whether an index in the database can be used: it is ordered by cosine distance, and must be in step except for a
  // limited number of pending chunks, which are compared separately.
  async function canJoinIndex(space: SpaceRow, plan: NearestPlan, { measure }: VectorQuery): Promise<boolean> {
    const current = state();
    const isChecked = current.kind === 'in_step';
    const isTrusted = isChecked || (current.kind === 'checking' && current.wasInStep === true);
    if (measure !== 'cosine_distance' || !isTrusted || plan.pending.length > MAX_PENDING) return false;
    // Opening also creates the index if another server has not created it yet.
    return isChecked ? isOpen(space) : isComplete(plan);
  }

  const isOpen = (space: SpaceRow): Promise<boolean> =>
    collections.open(space).then(
      () => true,
      () => false,
    );

  // Undefined if an exhaustive comparison is faster, or necessary for an exact result. `failed` is the reason why the
  // index gave no hits when it was asked early.
  async function throughIndex(
    space: SpaceRow,
    plan: NearestPlan,
    exactly: NearestQuery,
    { signal, note, filter, failed }: VectorQuery & { readonly failed?: string | undefined },
  ): Promise<NearestList | undefined> {
    const { matching, pending, past } = plan;
    if (matching - past.length <= EXACT_SEARCH_LIMIT || past.length > MAX_PAST) return undefined;
    const current = state();
    const bypass = async (reason: string) => {
      const selected = countCandidates({ ...exactly, isInsteadOfAll: false });
      const found = await byCodes(plan, { ...exactly, candidates: selected }, signal);
      note?.(`The vector index ${reason}; the stored vectors were ${found ? 'searched' : 'compared one by one'}.`);
      return found;
    };
    if (failed !== undefined) return bypass(failed);
    const isChecked = current.kind === 'in_step';
    const isTrusted = isChecked || (await isUsableSoon(current, plan));
    const isOutOfStep = () => bypass(`is ${describeState(current)}`);
    if (!isTrusted || pending.length > MAX_PENDING) return isOutOfStep();
    const request = indexRequest(plan, exactly, await limitsOf(space, filter));
    if (request === undefined) {
      const isInMemory = matching * space.dimensions * Float32Array.BYTES_PER_ELEMENT <= comparedBytes;
      const selected = countCandidates({ ...exactly, isInsteadOfAll: true });
      if (isInMemory || selected >= matching) return undefined;
      return byCodes(plan, { ...exactly, candidates: selected }, signal);
    }
    const { wanted, mostRequested, within } = request;
    let { requested } = request;
    for (;;) {
      const answer = queryIndex(space, { vector: exactly.vector, limit: requested, within, signal });
      const hits = isChecked ? await answer : await index.within(answer, patienceMs(plan));
      if (hits === undefined) return isOutOfStep();
      if (typeof hits === 'string') return bypass(hits);
      if (mayBeTrapped(hits)) {
        const candidates = countCandidates({ ...exactly, isInsteadOfAll: false });
        return byCodes(plan, { ...exactly, candidates }, signal);
      }
      const found = await search.call('nearestAmong', { ...exactly, hits, others: [...pending, ...past] }, signal);
      if (found.best.keys.length >= wanted) return found;
      // The index returned fewer hits than the records contain: it is incomplete.
      if (hits.length < requested || requested * WIDENING > mostRequested) return undefined;
      requested *= WIDENING;
    }
  }

  // Selects candidates by their codes and compares their vectors. Undefined if the database lacks codes.
  async function byCodes(
    { visible, past }: NearestPlan,
    query: NearestQuery & { readonly candidates: number },
    signal: AbortSignal | undefined,
  ): Promise<NearestList | undefined> {
    const segments = await codes.current(query.space);
    signal?.throwIfAborted();
    const count = segments?.reduce((sum, segment) => sum + segment.count, 0) ?? 0;
    if (segments === undefined || count < visible) return undefined;
    const start = performance.now();
    const found = await search.call('nearestByCodes', { ...query, segments, others: past }, signal);
    const took = performance.now() - start;
    measuredCodesMs = measuredCodesMs === 0 ? took : (measuredCodesMs + took) / 2;
    return found;
  }

  // Whether an index that was in step before is complete and answers in time.
  async function isUsableSoon(current: IndexState, plan: NearestPlan): Promise<boolean> {
    if (current.kind !== 'checking' || current.wasInStep !== true || index.isLate()) return false;
    // Chunks that are published later are in the index or pending, so the count is not needed for each search.
    if (plan.space !== null && plan.space.collection === complete) return true;
    const isUsable = (await index.within(isComplete(plan), patienceMs(plan))) === true;
    if (isUsable) complete = plan.space?.collection;
    return isUsable;
  }

  /** How long the index may take for an answer: as long as an answer from the codes would. */
  const patienceMs = (plan: NearestPlan): number => Math.max(expectedCodesMs(plan), measuredCodesMs);

  // Ignores failures, which the index maintenance notices as well.
  async function isComplete({ space, visible, pending }: NearestPlan): Promise<boolean> {
    if (space === null) return false;
    try {
      const collection = await collections.open(space);
      return (await collection.count()) + pending.length >= visible;
    } catch {
      return false;
    }
  }

  // Ignores an index that cannot be opened, which the query will notice.
  async function limitsOf(space: SpaceRow, filter: Filter): Promise<IndexLimits> {
    const collection = await collections.open(space).catch(() => undefined);
    const storesScopes = collection?.scopes?.areComplete() ?? false;
    return {
      allowed: collection?.maxResults ?? Number.POSITIVE_INFINITY,
      scopes: storesScopes ? scopeConditionsOf(filter) : [],
      candidates: collection?.candidates ?? 0,
    };
  }

  // The hits, or why there are none.
  async function queryIndex(
    space: SpaceRow,
    { vector, limit, within, signal }: IndexQuestion,
  ): Promise<readonly VectorHit[] | string> {
    try {
      const collection = await collections.open(space);
      return await collection.nearest(vector, limit, signal, within);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ServiceError && error.code === 'store_failed')) throw error;
      if (error instanceof IndexBusy) return 'takes no more calls for the moment';
      onFailure?.(error);
      return 'did not answer';
    }
  }

  return {
    askEarly: prefetchHits,
    earlyList: listFromPrefetched,
    canJoin: canJoinIndex,
    through: throughIndex,
    remember: plans.remember,
  };
}

/** The index's answer from before the filter was evaluated. */
export interface PrefetchedHits extends ListRequest {
  readonly query: VectorQuery;
  readonly space: SpaceRow;
  readonly hits: readonly VectorHit[];
}

interface IndexQuestion {
  readonly vector: Float32Array;
  readonly limit: number;
  readonly within: readonly ScopeCondition[];
  readonly signal: AbortSignal | undefined;
}

const WIDENING = 4;

function describeState(state: IndexState): string {
  switch (state.kind) {
    case 'in_step':
      return 'behind the stored chunks';
    case 'checking':
      return 'being checked';
    case 'rebuilding':
      return `being rebuilt (${state.done} of ${state.total})`;
    case 'down':
      return 'not answering';
  }
}
