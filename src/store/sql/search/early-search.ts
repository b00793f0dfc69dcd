import type { VectorQuery } from '../../chunk-search.ts';
import type { IndexState } from '../../index-state.ts';
import { isSameSpace, type VectorHit } from '../../vector-index.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import type { CompiledFilter } from './compile-filter.ts';
import { type ExpectedPlan, type ExpectedPlans, expectedPlans } from './expected-plans.ts';
import { listLengths } from './fixed-lists.ts';
import type { IndexAccess } from './index-access.ts';
import { firstListRequest, type ListRequest, MAX_PENDING } from './index-request.ts';
import { mayBeTrapped, SAME_DISTANCE } from './may-be-trapped.ts';
import type { NearestPlan } from './nearest-chunks.ts';
import type { SinglePassList } from './single-pass-search.ts';

/**
 * Asks the index for the hits of the first list before the filter is evaluated, assuming the plan of its last use. It is
 * not asked if selecting by codes is faster.
 */
export interface EarlySearch {
  /** The reason in words if the index gave no hits; undefined if it was not asked. */
  ask(query: VectorQuery, filter: CompiledFilter): Promise<EarlyHits | string | undefined>;
  /** The list if it is what the actual plan gives; undefined if that needs another request than the expected plan did. */
  confirm(hits: EarlyHits, list: SinglePassList, plan: NearestPlan): Promise<SinglePassList | undefined>;
  /** Notes the plan of a filter for the next search. */
  readonly remember: ExpectedPlans['remember'];
}

/** The index's answer from before the filter was evaluated. */
export interface EarlyHits extends ListRequest {
  readonly query: VectorQuery;
  readonly space: SpaceRow;
  /** What the request assumed. */
  readonly plan: ExpectedPlan;
  readonly hits: readonly VectorHit[];
}

export interface EarlySearchParts {
  readonly index: IndexAccess;
  readonly state: () => IndexState;
}

export function createEarlySearch({ index, state }: EarlySearchParts): EarlySearch {
  const plans = expectedPlans();

  async function requestFirstList(
    plan: NearestPlan,
    space: SpaceRow,
    { filter, measure, limit, firstListLength }: VectorQuery,
  ): Promise<ListRequest | undefined> {
    const [length = 0] = listLengths(firstListLength);
    const list = firstListRequest(plan, { limit, length, measure }, await index.limitsOf(space, filter));
    return list?.request.isSlow ? undefined : list;
  }

  return {
    async ask(query, filter) {
      const expected = plans.of(filter);
      if (expected === undefined) return undefined;
      const { plan } = expected;
      const { vector, space, limit, signal } = query;
      if (plan.space === null || limit === 0 || state().kind !== 'in_step') return undefined;
      if (plan.space.dimensions !== vector.length || (space && !isSameSpace(space, plan.space))) return undefined;
      const list = await requestFirstList(plan, plan.space, query);
      if (list === undefined) return undefined;
      const { requested, within } = list.request;
      const hits = await index.nearest(plan.space, { vector, limit: requested, within, signal });
      return typeof hits === 'string' ? hits : { query, space: plan.space, plan: expected, ...list, hits };
    },

    async confirm(early, list, plan) {
      const { query, space, length, request } = early;
      const now = await requestFirstList(plan, space, query);
      const { requested, within } = now?.request ?? {};
      if (mayBeTrapped(early.hits)) return undefined;
      const isAsPlanned =
        now?.length === length && requested === request.requested && within?.length === request.within.length;
      if (!isAsPlanned || state().kind !== 'in_step' || plan.pending.length > MAX_PENDING) return undefined;
      if (list.best.keys.length < now.request.wanted) return undefined;
      return mayLackEquals(early, list) ? undefined : list;
    },

    remember: plans.remember,
  };
}

// Whether chunks as near as the last one of a list may be missing in it, such as copies of its text. Which of them an
// index returns depends on their number; all are ranked by their keys, so that pages remain consistent.
function mayLackEquals({ query, length, hits }: EarlyHits, { best: { values } }: SinglePassList): boolean {
  if (length === listLengths(query.firstListLength)[0]) return false;
  const nearest = 1 - (values[length - 1] ?? 0);
  const last = hits.at(-1)?.distance ?? Number.POSITIVE_INFINITY;
  return last - nearest < SAME_DISTANCE;
}
