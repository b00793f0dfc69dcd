import { ServiceError } from '../../errors.ts';
import type { ChunkSearch, FoundChunk, VectorQuery } from '../chunk-search.ts';
import { readQueryTerms } from '../full-text/analyse.ts';
import type { IndexState } from '../index-state.ts';
import type { OpenCollections } from './open-collections.ts';
import type { Sqlite } from './open-sqlite.ts';
import { compileChunkFilter, compileDocumentFilter, compilePhrase } from './search/compile-filter.ts';
import type { NearestPlan, NearestQuery } from './search/nearest-chunks.ts';
import { describeSpace, isSameSpace, type SpaceRow } from './space-rows.ts';

export interface ChunkSearchParts {
  readonly search: Sqlite['search'];
  readonly collections: Pick<OpenCollections, 'open'>;
  /** Whether the vector index may be asked. */
  readonly state: () => IndexState;
}

/** So few vectors are compared one by one sooner than an index is asked. */
const COMPARED_AT_ONCE = 2_000;
/** A hit of the index costs as much as comparing with so many vectors. */
const COMPARISONS_PER_HIT = 3;
/** As many chunks that the index was not given yet are compared beside it; with more it is out of step. */
const OWED_AT_MOST = 2_000;
/** As many passages of earlier versions are compared beside the index; with more, everything is compared. */
const PAST_AT_MOST = 2_000;
/** Under another measure than the index's, so many times the limit are candidates. */
const CANDIDATES_PER_HIT = 10;

/** Both legs of a search: SQLite answers filters and full text and keeps the vectors, the index finds near ones among many. */
export function createChunkSearch({ search, collections, state }: ChunkSearchParts): ChunkSearch {
  async function nearest(query: VectorQuery): Promise<FoundChunk[]> {
    const { vector, measure, limit, signal } = query;
    const filter = compileChunkFilter(query.filter, query.asOf, query.wording);
    const plan = await search.call('planNearest', { filter }, signal);
    if (plan.space === null || plan.matching === 0 || limit === 0) return [];
    refuseOtherSpace(plan.space, query);
    if (plan.withoutVector > 0) query.note?.(withoutVectors(plan.withoutVector));
    const exactly = { space: plan.space, vector, measure, filter, limit };
    const found = await throughIndex(plan.space, plan, exactly, query);
    return found ?? search.call('nearestExactly', exactly, signal);
  }

  // Undefined when comparing with every vector is quicker, or the only way to be right.
  async function throughIndex(
    space: SpaceRow,
    { visible, matching: all, owed, past }: NearestPlan,
    exactly: NearestQuery,
    { signal, note }: VectorQuery,
  ): Promise<FoundChunk[] | undefined> {
    const matching = all - past.length;
    if (matching <= COMPARED_AT_ONCE || past.length > PAST_AT_MOST) return undefined;
    const current = state();
    if (current.kind !== 'in_step' || owed.length > OWED_AT_MOST) {
      note?.(`The vector index is ${describeState(current)}; the stored vectors were compared one by one.`);
      return undefined;
    }
    const wanted = Math.min(exactly.limit, all);
    const candidates = exactly.measure === 'cosine_distance' ? wanted : wanted * CANDIDATES_PER_HIT;
    let asked = Math.ceil((candidates * visible * 1.25) / matching) + 10;
    const worthAsking = Math.max(COMPARED_AT_ONCE, matching / COMPARISONS_PER_HIT);
    if (asked > worthAsking) return undefined;
    for (;;) {
      const hits = await askIndex(space, exactly.vector, asked, signal);
      if (hits === undefined) {
        note?.('The vector index did not answer; the stored vectors were compared one by one.');
        return undefined;
      }
      const found = await search.call('nearestAmong', { ...exactly, hits, others: [...owed, ...past] }, signal);
      if (found.length >= wanted) return found;
      // The index has no more, and yet there is more to find: it lacks something.
      if (hits.length < asked || asked * WIDENING > worthAsking) return undefined;
      asked *= WIDENING;
    }
  }

  async function askIndex(space: SpaceRow, vector: Float32Array, limit: number, signal: AbortSignal | undefined) {
    try {
      const collection = await collections.open(space);
      return await collection.nearest(vector, limit, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ServiceError && error.code === 'store_failed') return undefined;
      throw error;
    }
  }

  return {
    nearest,
    async matching({ text, filter, limit, asOf, wording, signal, corrected }) {
      const query = { ...readQueryTerms(text), filter: compileChunkFilter(filter, asOf, wording), limit };
      const { hits, corrections } = await search.call('matchingChunks', query, signal);
      if (corrections.length > 0) corrected?.(corrections);
      return hits;
    },
    async ranking({ text, filter, limit, reading, asOf, wording, signal, corrected }) {
      const query = { ...readQueryTerms(text), filter: compileChunkFilter(filter, asOf, wording), limit, reading };
      const { hits, corrections } = await search.call('rankChunks', query, signal);
      if (corrections.length > 0) corrected?.(corrections);
      return hits;
    },
    read: (keys, signal, asOf) => search.call('readChunks', { keys, at: asOf }, signal),
    countSaying: (phrases, { filter, asOf, signal }) =>
      search.call(
        'countSaying',
        { phrases: phrases.map(compilePhrase), filter: compileChunkFilter(filter, asOf) },
        signal,
      ),
    countForgotten: (asOf, filter, signal) =>
      search.call('countRetired', { at: asOf, filter: compileDocumentFilter(filter) }, signal),
  };
}

const WIDENING = 4;

function refuseOtherSpace(space: SpaceRow, { vector, space: own }: VectorQuery): void {
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
