import { ServiceError } from '../../../errors.ts';
import type { ChunkSearch, RankedChunk, TextQuery, VectorQuery } from '../../chunk-search.ts';
import { readQueryTerms } from '../../full-text/analyse.ts';
import { isSameSpace } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import type { Ranking } from '../full-text/rank-within.ts';
import { describeSpace, type SpaceRow } from '../vector-spaces/space-rows.ts';
import { chunkFilterCompiler, compileDocumentFilter, compilePhrase } from './compile-filter.ts';
import { searchDirectly } from './direct-search.ts';
import { createEarlySearch, type EarlyHits } from './early-search.ts';
import { listLengths, withoutRepeats } from './fixed-lists.ts';
import { createIndexAccess, type IndexAccessParts } from './index-access.ts';
import { createIndexSearch, type IndexSearchParts } from './index-search.ts';
import { searchIndexed } from './nearest-indexed.ts';
import { type LocatedHit, locateHits, packHits } from './packed-hits.ts';
import type { MatchingQuery } from './search-operations.ts';
import type { SinglePassAnswer, SinglePassQuery } from './single-pass-search.ts';

export interface ChunkSearchParts extends IndexAccessParts, Omit<IndexSearchParts, 'index'> {
  readonly search: Database['search'];
}

/**
 * Both legs of a search: the database evaluates filters and full text and stores the vectors; the index finds near
 * vectors among many.
 */
export function createChunkSearch({ search, state, comparedBytes, ...access }: ChunkSearchParts): ChunkSearch {
  const index = createIndexAccess(access);
  const earlySearch = createEarlySearch({ index, state });
  const indexSearch = createIndexSearch({ search, index, state, comparedBytes });
  const compileChunkFilter = chunkFilterCompiler(search.dialect);

  // Plans the search, and answers it if nothing outside the records and the early hits is needed.
  async function searchRecords(
    query: SinglePassQuery,
    { prefetched, signal }: { readonly prefetched: EarlyHits | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<SinglePassAnswer> {
    const { filter } = query;
    const { singlePass } = search;
    if (singlePass === undefined) return { plan: await search.call('planNearest', { filter }, signal) };
    const direct = filter === null ? search.direct : undefined;
    const answered = prefetched && direct && searchDirectly(direct, prefetched, query);
    if (answered !== undefined) return answered;
    const stateBefore = direct?.state();
    const answer = await singlePass.nearest({ ...query, prefetched: prefetched && packPrefetched(prefetched) }, signal);
    const state = direct?.state();
    earlySearch.remember(filter, { plan: answer.plan, state: state === stateBefore ? state : undefined });
    return answer;
  }

  // `shown` is the number of hits that need their chunks.
  async function locate({ readAhead, ...query }: VectorQuery, shown: number): Promise<readonly LocatedHit[]> {
    const { vector, measure, limit, signal, firstListLength } = query;
    const filter = compileChunkFilter(query.filter, query);
    const early = search.singlePass && (await earlySearch.ask(query, filter));
    const [prefetched, failed] = typeof early === 'string' ? [undefined, early] : [early, undefined];
    const alsoShown = readAhead?.others();
    const answer = await searchRecords(
      {
        ...{ vector, measure, filter, limit, alsoShown },
        shown: alsoShown === undefined ? shown : (readAhead?.first ?? 0),
      },
      { prefetched, signal },
    );
    const { plan } = answer;
    if (plan.space === null || plan.matching === 0 || limit === 0) return [];
    requireSameSpace(plan.space, query);
    if (plan.withoutVector > 0) query.note?.(withoutVectors(plan.withoutVector));
    if (alsoShown !== undefined && answer.list !== undefined) readAhead?.receive(answer.list.chunks);
    if (answer.list?.isExact) return locateHits(answer.list).slice(0, limit);
    const ofAll = { space: plan.space, vector, measure, filter, limit, shown };
    const exactly = async () => locateHits(await search.call('nearestExactly', ofAll, signal));
    if (search.nearestIndexed !== undefined && (await indexSearch.canJoin(plan.space, plan, query))) {
      const indexed = await searchIndexed(search.nearestIndexed, { plan, query: ofAll, firstListLength, signal });
      if (indexed !== undefined) return indexed;
    }
    const list = prefetched && answer.list && (await earlySearch.confirm(prefetched, answer.list, plan));
    let found: readonly LocatedHit[] = list ? locateHits(list) : [];
    const enough = Math.min(limit, plan.matching);
    if (found.length > 0 && found.length >= enough) return found.slice(0, limit);
    for (const length of listLengths(firstListLength).slice(found.length > 0 ? 1 : 0)) {
      const ofList = { ...ofAll, limit: length, shown: Math.min(shown, length) };
      const next = await indexSearch.nearest(plan, ofList, { ...query, failed });
      if (next === undefined) break;
      found = withoutRepeats(found, locateHits(next));
      if (found.length >= enough) return found.slice(0, limit);
    }
    return withoutRepeats(found, await exactly()).slice(0, limit);
  }

  const toMatchingQuery = ({ text, filter, readable, asOf, phraseFilters, limit }: TextQuery): MatchingQuery => ({
    ...readQueryTerms(text),
    filter: compileChunkFilter(filter, { asOf, phraseFilters }),
    ...(readable !== undefined && readable !== filter && { readable: compileChunkFilter(readable, { asOf }) }),
    limit,
  });

  async function rankWords(query: MatchingQuery, signal: AbortSignal | undefined): Promise<Ranking<RankedChunk>> {
    if (search.singlePass === undefined) return search.call('rankChunks', query, signal);
    const { best, corrections } = await search.singlePass.rank(query, signal);
    return {
      hits: Array.from(best.keys, (key, index) => ({ key, rank: index + 1, score: best.values[index] ?? 0 })),
      corrections,
    };
  }

  return {
    async prepare() {
      // With a database server, each search may use another connection, which has a cache of its own.
      if (search.singlePass === undefined) return;
      const { space } = await search.call('planNearest', { filter: null });
      if (space !== null) await indexSearch.prepare(space);
    },

    async nearest(query) {
      const found = await locate(query, query.limit);
      return found.flatMap(({ key, score, chunk }, index) =>
        chunk ? [{ ...chunk, key, score, semantic: { rank: index + 1, score } }] : [],
      );
    },
    async nearestRanking(query) {
      const found = await locate(query, 0);
      return found.map(({ key, score }, index) => ({ key, rank: index + 1, score }));
    },
    async matching({ signal, corrected, ...query }) {
      const { hits, corrections } = await search.call('matchingChunks', toMatchingQuery(query), signal);
      if (corrections.length > 0) corrected?.(corrections);
      return hits;
    },
    async ranking({ signal, corrected, ...query }) {
      const { hits, corrections } = await rankWords(toMatchingQuery(query), signal);
      if (corrections.length > 0) corrected?.(corrections);
      return hits;
    },
    async read(keys, signal, asOf) {
      const direct = asOf === undefined ? search.direct?.readChunks(keys) : undefined;
      return direct ?? search.call('readChunks', { keys, at: asOf }, signal);
    },
    vectorsOf: (keys, space, signal) => search.call('readVectors', { keys, space }, signal),
    countPhrases: (phrases, { filter, asOf, signal }) =>
      search.call(
        'countPhrases',
        {
          phrases: phrases.map((words) => compilePhrase(search.dialect, words)),
          filter: compileChunkFilter(filter, { asOf }),
        },
        signal,
      ),
    countPrunedVersions: (asOf, filter, signal) =>
      search.call('countRetired', { at: asOf, filter: compileDocumentFilter(search.dialect, filter) }, signal),
  };
}

const packPrefetched = ({ hits, space, length }: EarlyHits) => ({
  ...packHits(hits),
  spaceKey: space.key,
  limit: length,
});

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
