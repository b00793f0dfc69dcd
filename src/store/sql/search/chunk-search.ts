import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../../errors.ts';
import type { ChunkSearch, FoundChunk, VectorQuery } from '../../chunk-search.ts';
import { readQueryTerms } from '../../full-text/analyse.ts';
import type { IndexState } from '../../index-state.ts';
import { IndexBusy, isSameSpace, type VectorHit } from '../../vector-index.ts';
import { type PlaceCondition, placesOf } from '../../vector-place.ts';
import type { Database } from '../database.ts';
import type { OpenCollections } from '../index-sync/open-collections.ts';
import { loadedCodes } from '../vector-codes/loaded-codes.ts';
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
/** What selecting candidates by their codes takes, about, in all and for each vector of common length. */
const CODES_MS = 10;
const CODE_MS = 0.0001;
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
  const codes = loadedCodes(search.call);

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
    return isChecked ? isOpen(space) : isComplete(plan);
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
    { signal, note, filter }: VectorQuery,
  ): Promise<readonly FoundChunk[] | undefined> {
    const { visible, matching: all, pending, past } = plan;
    const matching = all - past.length;
    if (matching <= EXACT_SEARCH_LIMIT || past.length > MAX_PAST) return undefined;
    const current = state();
    const bypass = async (reason: string) => {
      const found = await byCodes(plan, exactly, signal);
      note?.(`The vector index ${reason}; the stored vectors were ${found ? 'searched' : 'compared one by one'}.`);
      return found;
    };
    const isTrusted = current.kind === 'in_step' || (await isUsableSoon(current, plan));
    if (!isTrusted || pending.length > MAX_PENDING) return bypass(`is ${describeState(current)}`);
    const wanted = Math.min(exactly.limit, all);
    const candidates = exactly.measure === 'cosine_distance' ? wanted : wanted * CANDIDATES_PER_HIT;
    const { allowed, keepsPlaces } = await limitsOf(space);
    const among = (candidates * visible) / matching;
    // Where the index knows the places of chunks, it can leave out most of those that do not pass.
    const within = keepsPlaces && withSlack(among) > allowed ? placesOf(filter) : [];
    const expected = within.length > 0 ? candidates : among;
    let requested = Math.min(withSlack(expected), allowed);
    const maxRequested = Math.min(allowed, Math.max(EXACT_SEARCH_LIMIT, matching / COMPARISONS_PER_HIT));
    if (requested > maxRequested || expected > allowed) return undefined;
    for (;;) {
      const hits = await queryIndex(space, { vector: exactly.vector, limit: requested, within, signal });
      if (typeof hits === 'string') return bypass(hits);
      if (current.kind === 'in_step') codes.release();
      const found = await search.call('nearestAmong', { ...exactly, hits, others: [...pending, ...past] }, signal);
      if (found.count >= wanted) return found.hits;
      // The index returned fewer hits than the records contain: it is incomplete.
      if (hits.length < requested || requested * WIDENING > maxRequested) return undefined;
      requested *= WIDENING;
    }
  }

  // Candidates by their codes, compared by their vectors; undefined where the database lacks codes.
  async function byCodes(
    { visible, past }: NearestPlan,
    query: NearestQuery,
    signal: AbortSignal | undefined,
  ): Promise<readonly FoundChunk[] | undefined> {
    const segments = await codes.current(query.space);
    signal?.throwIfAborted();
    const count = segments?.reduce((sum, segment) => sum + segment.count, 0) ?? 0;
    if (segments === undefined || count < visible) return undefined;
    return (await search.call('nearestByCodes', { ...query, segments, others: past }, signal)).hits;
  }

  // Whether an index that was in step when the last process ended answers before the codes would be compared.
  async function isUsableSoon(current: IndexState, plan: NearestPlan): Promise<boolean> {
    if (current.kind !== 'checking' || current.wasInStep !== true) return false;
    const answered = new AbortController();
    const late = sleep(CODES_MS + plan.visible * CODE_MS, false, { signal: answered.signal }).catch(() => false);
    const isUsable = await Promise.race([isComplete(plan), late]);
    answered.abort();
    return isUsable;
  }

  // A failure is noticed by the maintenance as well.
  async function isComplete({ space, visible, pending }: NearestPlan): Promise<boolean> {
    if (space === null) return false;
    try {
      const collection = await collections.open(space);
      return (await collection.count()) + pending.length >= visible;
    } catch {
      return false;
    }
  }

  // An index that cannot be opened is noticed by the query.
  async function limitsOf(space: SpaceRow): Promise<{ readonly allowed: number; readonly keepsPlaces: boolean }> {
    const collection = await collections.open(space).catch(() => undefined);
    return {
      allowed: collection?.maxResults ?? Number.POSITIVE_INFINITY,
      keepsPlaces: collection?.places?.areComplete() ?? false,
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
  readonly within: readonly PlaceCondition[];
  readonly signal: AbortSignal | undefined;
}

/** Some hits may be of chunks that were deleted or do not pass. */
const withSlack = (expected: number): number => Math.ceil(expected * 1.25) + 10;

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
