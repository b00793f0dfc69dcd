import type { VectorQuery } from '../../chunk-search.ts';
import type { IndexState } from '../../index-state.ts';
import type { Database } from '../database.ts';
import { countCandidates } from '../vector-codes/count-candidates.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { answersInTime } from './answers-in-time.ts';
import { createCodesSearch } from './codes-search.ts';
import type { IndexAccess } from './index-access.ts';
import { EXACT_SEARCH_LIMIT, indexRequest, MAX_PAST, MAX_PENDING } from './index-request.ts';
import { mayBeTrapped } from './may-be-trapped.ts';
import type { NearestPlan, NearestQuery } from './nearest-chunks.ts';
import type { NearestList } from './packed-hits.ts';
import { MAX_CACHED_BYTES_PER_FILTER } from './stored-vectors.ts';

export interface IndexSearchParts {
  readonly search: Pick<Database['search'], 'call' | 'singlePass'>;
  readonly index: IndexAccess;
  /** State of the vector index, which decides whether it is queried. */
  readonly state: () => IndexState;
  /** If too many hits would be requested, a filter's vectors of up to this many bytes are compared exhaustively. */
  readonly comparedBytes?: number | undefined;
}

/** Searches the vector index, or the codes of the stored vectors while the index is not in step. */
export interface IndexSearch {
  /** Loads what searches of the space need until the index is in step. */
  prepare(space: SpaceRow): Promise<void>;
  /**
   * Whether an index in the database can be used: it is ordered by cosine distance, and must be in step except for a
   * limited number of pending chunks, which are compared separately.
   */
  canJoin(space: SpaceRow, plan: NearestPlan, query: Pick<VectorQuery, 'measure'>): Promise<boolean>;
  /** Undefined if an exhaustive comparison is faster, or necessary for an exact result. */
  nearest(plan: NearestPlan, exactly: NearestQuery, options: IndexSearchOptions): Promise<NearestList | undefined>;
}

export interface IndexSearchOptions extends Pick<VectorQuery, 'filter' | 'note' | 'signal'> {
  /** Why the index gave no hits when it was asked early. */
  readonly failed?: string | undefined;
}

export function createIndexSearch(parts: IndexSearchParts): IndexSearch {
  const { search, index, state, comparedBytes = MAX_CACHED_BYTES_PER_FILTER } = parts;
  const codes = createCodesSearch(search);
  const answers = answersInTime();
  /** Collection of an index that was in step before and has been found complete. */
  let complete: string | undefined;

  /** The answer of the index, if it comes as soon as one from the codes would. */
  const inTime = <Answer>(answer: Promise<Answer>, plan: NearestPlan): Promise<Answer | undefined> =>
    answers.within(answer, codes.expectedMs(plan));

  // Whether an index that was in step before is complete and answers in time.
  async function isUsableSoon(current: IndexState, plan: NearestPlan): Promise<boolean> {
    if (current.kind !== 'checking' || current.wasInStep !== true || answers.isLate()) return false;
    // Chunks that are published later are in the index or pending, so the count is not needed for each search.
    if (plan.space !== null && plan.space.collection === complete) return true;
    const isUsable = (await inTime(index.isComplete(plan), plan)) === true;
    if (isUsable) complete = plan.space?.collection;
    return isUsable;
  }

  return {
    async prepare(space) {
      if (state().kind !== 'in_step') await codes.load(space);
    },

    async canJoin(space, plan, { measure }) {
      const current = state();
      const isChecked = current.kind === 'in_step';
      const isTrusted = isChecked || (current.kind === 'checking' && current.wasInStep === true);
      if (measure !== 'cosine_distance' || !isTrusted || plan.pending.length > MAX_PENDING) return false;
      // Opening also creates the index if another server has not created it yet.
      return isChecked ? index.isOpen(space) : index.isComplete(plan);
    },

    async nearest(plan, exactly, { signal, note, filter, failed }) {
      const { matching, pending, past } = plan;
      const { space } = exactly;
      if (matching - past.length <= EXACT_SEARCH_LIMIT || past.length > MAX_PAST) return undefined;
      const byCodes = (isInsteadOfAll: boolean) =>
        codes.nearest(plan, { ...exactly, candidates: countCandidates({ ...exactly, isInsteadOfAll }), signal });
      const bypass = async (reason: string) => {
        const found = await byCodes(false);
        note?.(`The vector index ${reason}; the stored vectors were ${found ? 'searched' : 'compared one by one'}.`);
        return found;
      };
      if (failed !== undefined) return bypass(failed);
      const current = state();
      const isChecked = current.kind === 'in_step';
      const isTrusted = isChecked || (await isUsableSoon(current, plan));
      const isOutOfStep = () => bypass(`is ${describeState(current)}`);
      if (!isTrusted || pending.length > MAX_PENDING) return isOutOfStep();
      const request = indexRequest(plan, exactly, await index.limitsOf(space, filter));
      if (request === undefined) {
        const isInMemory = matching * space.dimensions * Float32Array.BYTES_PER_ELEMENT <= comparedBytes;
        const selected = countCandidates({ ...exactly, isInsteadOfAll: true });
        return isInMemory || selected >= matching ? undefined : byCodes(true);
      }
      const { wanted, mostRequested, within, isSlow } = request;
      if (isSlow && search.singlePass !== undefined) {
        const found = await byCodes(true);
        if (found !== undefined) return found;
      }
      for (let { requested } = request; ; requested *= WIDENING) {
        const answer = index.nearest(space, { vector: exactly.vector, limit: requested, within, signal });
        const hits = isChecked ? await answer : await inTime(answer, plan);
        if (hits === undefined) return isOutOfStep();
        if (typeof hits === 'string') return bypass(hits);
        if (mayBeTrapped(hits)) return byCodes(false);
        const found = await search.call('nearestAmong', { ...exactly, hits, others: [...pending, ...past] }, signal);
        if (found.best.keys.length >= wanted) return found;
        // The index returned fewer hits than the records contain: it is incomplete.
        if (hits.length < requested || requested * WIDENING > mostRequested) return undefined;
      }
    },
  };
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
