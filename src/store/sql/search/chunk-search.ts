import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../errors.ts';
import type { ChunkSearch, FoundChunk, VectorQuery } from '../../chunk-search.ts';
import { readQueryTerms } from '../../full-text/analyse.ts';
import type { IndexState } from '../../index-state.ts';
import { IndexBusy, isSameSpace, type VectorHit } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import type { OpenCollections } from '../index-sync/open-collections.ts';
import { describeSpace, type SpaceRow } from '../vector-spaces/space-rows.ts';
import { compileChunkFilter, compileDocumentFilter, compilePhrase } from './compile-filter.ts';
import { concatenateHits, listLengths } from './fixed-lists.ts';
import type { NearestPlan, NearestQuery } from './nearest-chunks.ts';
import { searchIndexed } from './nearest-indexed.ts';

export interface ChunkSearchParts {
  readonly search: Database['search'];
  readonly collections: Pick<OpenCollections, 'open'>;
  /** State of the vector index, which decides whether it is queried. */
  readonly state: () => IndexState;
  /** Called when the index fails, so that later searches skip it. */
  readonly onFailure?: (error: ServiceError) => void;
}

/** Up to this many vectors, an exhaustive comparison is faster than the index. */
const EXACT_SEARCH_LIMIT = 2_000;
/** A hit of the index costs as much as comparing this many vectors. */
const COMPARISONS_PER_HIT = 3;
/** An exhaustive comparison takes at least this for each vector of common length. */
const COMPARISON_MS = 0.005;
/** Maximum pending chunks that are compared in addition to the index; with more the index counts as out of step. */
const MAX_PENDING = 2_000;
/**
 * Maximum chunks of earlier versions that are compared in addition to the index; with more, everything is compared
 * exhaustively.
 */
const MAX_PAST = 2_000;
/** Candidates per requested hit, when the distance measure differs from the index's. */
const CANDIDATES_PER_HIT = 10;

/**
 * Both legs of a search: SQLite evaluates filters and full text and stores the vectors; the index finds near vectors
 * among many.
 */
export function createChunkSearch({ search, collections, state, onFailure }: ChunkSearchParts): ChunkSearch {
  async function nearest(query: VectorQuery): Promise<FoundChunk[]> {
    const { vector, measure, limit, signal } = query;
    const filter = compileChunkFilter(search.dialect, query.filter, query);
    const plan = await search.call('planNearest', { filter }, signal);
    if (plan.space === null || plan.matching === 0 || limit === 0) return [];
    requireSameSpace(plan.space, query);
    if (plan.withoutVector > 0) query.note?.(withoutVectors(plan.withoutVector));
    const ofAll = { space: plan.space, vector, measure, filter, limit, shown: limit };
    const exactly = async () => (await search.call('nearestExactly', ofAll, signal)).hits;
    const { firstListLength } = query;
    if (search.nearestIndexed !== undefined && (await canJoinIndex(plan.space, plan, query))) {
      const indexed = await searchIndexed(search.nearestIndexed, { plan, query: ofAll, firstListLength, signal });
      if (indexed !== undefined) return [...indexed];
    }
    let found: readonly FoundChunk[] = [];
    for (const length of listLengths(firstListLength)) {
      const shown = Math.min(limit, length);
      const list = await throughIndex(plan.space, plan, { ...ofAll, limit: length, shown }, query);
      if (list === undefined) break;
      found = concatenateHits(found, list);
      if (found.length >= Math.min(limit, plan.matching)) return found.slice(0, limit);
    }
    return concatenateHits(found, await exactly()).slice(0, limit);
  }

  // Whether an index in the database, which is ordered by cosine distance, is in step but for what is compared besides.
  async function canJoinIndex(space: SpaceRow, plan: NearestPlan, { measure }: VectorQuery): Promise<boolean> {
    const current = state();
    const isChecked = current.kind === 'in_step';
    const isTrusted = isChecked || (current.kind === 'checking' && current.wasInStep === true);
    if (measure !== 'cosine_distance' || !isTrusted || plan.pending.length > MAX_PENDING) return false;
    // Also creates what another server has not created yet.
    return isChecked ? isOpen(space) : isComplete(space, plan);
  }

  const isOpen = (space: SpaceRow): Promise<boolean> =>
    collections.open(space).then(
      () => true,
      () => false,
    );

  // Undefined when an exhaustive comparison is faster, or necessary for an exact result.
  async function throughIndex(
    space: SpaceRow,
    plan: NearestPlan,
    exactly: NearestQuery,
    { signal, note }: VectorQuery,
  ): Promise<readonly FoundChunk[] | undefined> {
    const { visible, matching: all, pending, past } = plan;
    const matching = all - past.length;
    if (matching <= EXACT_SEARCH_LIMIT || past.length > MAX_PAST) return undefined;
    const current = state();
    const bypassing = `The vector index is ${describeState(current)}; the stored vectors were compared one by one.`;
    if (current.kind === 'checking' && current.wasInStep === true && pending.length <= MAX_PENDING) {
      const lead = matching * COMPARISON_MS;
      const compared = await compareMeanwhile(isComplete(space, plan), { exactly, lead, signal });
      if (compared !== undefined) {
        note?.(bypassing);
        return compared;
      }
    } else if (current.kind !== 'in_step' || pending.length > MAX_PENDING) {
      note?.(bypassing);
      return undefined;
    }
    const wanted = Math.min(exactly.limit, all);
    const candidates = exactly.measure === 'cosine_distance' ? wanted : wanted * CANDIDATES_PER_HIT;
    const expected = (candidates * visible) / matching;
    const allowed = await maxResults(space);
    let requested = Math.min(Math.ceil(expected * 1.25) + 10, allowed);
    const maxRequested = Math.min(allowed, Math.max(EXACT_SEARCH_LIMIT, matching / COMPARISONS_PER_HIT));
    if (requested > maxRequested || expected > allowed) return undefined;
    for (;;) {
      const hits = await queryIndex(space, { vector: exactly.vector, limit: requested, signal, note });
      if (hits === undefined) return undefined;
      const found = await search.call('nearestAmong', { ...exactly, hits, others: [...pending, ...past] }, signal);
      if (found.count >= wanted) return found.hits;
      // The index returned fewer hits than the records contain: it is incomplete.
      if (hits.length < requested || requested * WIDENING > maxRequested) return undefined;
      requested *= WIDENING;
    }
  }

  // Of an index that was in step when the last process ended. A failure is noticed by the maintenance as well.
  async function isComplete(space: SpaceRow, { visible, pending }: NearestPlan): Promise<boolean> {
    try {
      const collection = await collections.open(space);
      return (await collection.count()) + pending.length >= visible;
    } catch {
      return false;
    }
  }

  // The stored vectors, unless the index can be used earlier than they are compared. It starts with a lead of about the
  // time of a comparison without other load, since both would delay each other.
  async function compareMeanwhile(
    isUsable: Promise<boolean>,
    { exactly, lead, signal }: { exactly: NearestQuery; lead: number; signal: AbortSignal | undefined },
  ): Promise<readonly FoundChunk[] | undefined> {
    const usable = isUsable.then((yes) => (yes ? ('usable' as const) : undefined));
    const answered = new AbortController();
    const late = sleep(lead, undefined, { signal: answered.signal }).catch(() => {});
    const early = await Promise.race([usable, late]);
    answered.abort();
    if (early === 'usable') return undefined;
    const stopping = new AbortController();
    const either = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal;
    const compared = search.call('nearestExactly', exactly, either).then(({ hits }) => hits);
    const index = usable.then<readonly FoundChunk[] | 'usable'>((yes) => yes ?? compared);
    const first = await Promise.race([compared, index]);
    if (first !== 'usable') return first;
    stopping.abort();
    await compared.catch(() => {});
    return undefined;
  }

  // An index that cannot be opened is noticed by the query.
  async function maxResults(space: SpaceRow): Promise<number> {
    const collection = await collections.open(space).catch(() => undefined);
    return collection?.maxResults ?? Number.POSITIVE_INFINITY;
  }

  async function queryIndex(
    space: SpaceRow,
    { vector, limit, signal, note }: IndexQuestion,
  ): Promise<readonly VectorHit[] | undefined> {
    try {
      const collection = await collections.open(space);
      return await collection.nearest(vector, limit, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ServiceError && error.code === 'store_failed')) throw error;
      const isBusy = error instanceof IndexBusy;
      if (!isBusy) onFailure?.(error);
      const reason = isBusy ? 'takes no more calls for the moment' : 'did not answer';
      note?.(`The vector index ${reason}; the stored vectors were compared one by one.`);
      return undefined;
    }
  }

  return {
    nearest,
    async matching({ text, filter, limit, asOf, phraseFilters, signal, corrected }) {
      const query = {
        ...readQueryTerms(text),
        filter: compileChunkFilter(search.dialect, filter, { asOf, phraseFilters }),
        limit,
      };
      const { hits, corrections } = await search.call('matchingChunks', query, signal);
      if (corrections.length > 0) corrected?.(corrections);
      return hits;
    },
    async ranking({ text, filter, limit, asOf, phraseFilters, signal, corrected }) {
      const query = {
        ...readQueryTerms(text),
        filter: compileChunkFilter(search.dialect, filter, { asOf, phraseFilters }),
        limit,
      };
      const { hits, corrections } = await search.call('rankChunks', query, signal);
      if (corrections.length > 0) corrected?.(corrections);
      return hits;
    },
    read: (keys, signal, asOf) => search.call('readChunks', { keys, at: asOf }, signal),
    vectorsOf: (keys, space, signal) => search.call('readVectors', { keys, space }, signal),
    countPhrases: (phrases, { filter, asOf, signal }) =>
      search.call(
        'countPhrases',
        {
          phrases: phrases.map((words) => compilePhrase(search.dialect, words)),
          filter: compileChunkFilter(search.dialect, filter, { asOf }),
        },
        signal,
      ),
    countPrunedVersions: (asOf, filter, signal) =>
      search.call('countRetired', { at: asOf, filter: compileDocumentFilter(search.dialect, filter) }, signal),
  };
}

interface IndexQuestion {
  readonly vector: Float32Array;
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
  readonly note: VectorQuery['note'];
}

const WIDENING = 4;
function requireSameSpace(space: SpaceRow, { vector, space: own }: VectorQuery): void {
  if (own !== undefined && !isSameSpace(own, space)) {
    throw new ServiceError(
      'embedding_mismatch',
      `The corpus is searched with ${describeSpace(space)} now, the query was embedded with ${describeSpace(own)}. ` +
        'Search again; if that does not help, run "citewell reindex".',
    );
  }
  if (vector.length === space.dimensions) return;
  throw new ServiceError(
    'embedding_mismatch',
    `The stored vectors are of ${describeSpace(space)}, the query's has ${vector.length} dimensions. ` +
      'Use the embedder the corpus was built with, or run "citewell reindex".',
  );
}

const withoutVectors = (count: number): string =>
  `${count} passages of earlier versions were not embedded with the present embedder; only their words find them.`;

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
