import { setImmediate } from 'node:timers/promises';
import type { Chunk, LegScore, ScoredChunk } from '../documents/chunk.ts';
import { messageFor, ServiceError } from '../errors.ts';
import type { ChunkSearch, RankedChunk, TextQuery, VectorQuery } from '../store/chunk-search.ts';
import { type EmbeddedQuery, type EmbedQuery, withCurrentVector } from './embed-query.ts';
import { fuseLegs } from './fuse-ranks.ts';
import { fuseScores, MIN_CANDIDATES } from './fuse-scores.ts';
import { isOutage } from './is-outage.ts';
import { applyRelevanceFeedback, FEEDBACK_HITS } from './relevance-feedback.ts';
import type { Search } from './search.ts';

/** Query text of each leg; they differ only for hypothetical answers. */
export interface LegTexts {
  readonly semantic: string;
  readonly fullText: string;
}

/** Runs the legs that the plan of a search calls for, and fuses their hits. */
export type SearchLegs = (text: LegTexts, search: Search) => Promise<readonly ScoredChunk[]>;

/** Maximum number of times a hybrid search is run when the corpus changes during it. */
const MAX_HYBRID_ATTEMPTS = 3;

/** Pages of more hits are read in a query of their own. */
const MAX_READ_AHEAD = 30;

/** A nearest-neighbour search that returns chunks, or only their ranking. */
type FindNearest<Hit> = (query: VectorQuery) => Promise<readonly Hit[]>;

/** The same for a full-text search. */
type FindMatching<Hit> = (query: TextQuery) => Promise<readonly Hit[]>;

export function createSearchLegs(chunks: ChunkSearch, embedQuery: EmbedQuery): SearchLegs {
  async function searchBothLegs(text: LegTexts, search: Search): Promise<readonly ScoredChunk[]> {
    switch (search.plan.kind) {
      case 'semantic':
        return (await semantic(text.semantic, search, chunks.nearest)).map(({ key: _, ...chunk }) => chunk);
      case 'full_text':
        return fullText(text.fullText, search, chunks.matching);
      case 'hybrid':
        return hybrid(text, search);
    }
  }

  // The two legs may see different states of the corpus, so a document replaced in between would appear in two
  // versions. The hits are therefore read in one query, and the search is repeated when one of them is gone.
  async function hybrid(
    text: LegTexts,
    search: Search,
    attempts = MAX_HYBRID_ATTEMPTS,
  ): Promise<readonly ScoredChunk[]> {
    const { plan, settings, signal } = search;
    const byScores = plan.fusion === 'scores';
    const depth = byScores ? Math.max(MIN_CANDIDATES, search.depth) : search.depth;
    const wide = { ...search, depth };
    // With ranks, the first hits of the fused list are among the first of each leg.
    const ahead = byScores || depth > MAX_READ_AHEAD ? undefined : createReadAhead(depth);
    const [first, matching] = await Promise.all([
      semantic(text.semantic, wide, (query) =>
        chunks.nearestRanking({ ...query, ...(ahead && { readAhead: ahead }) }),
      ).catch((error) => fullTextOnly(error, search)),
      rankWords(),
    ]);
    const words = matching.map(toCandidate);
    const near = byScores ? await nearestWithFeedback(text.semantic, first, { words, search: wide }) : first;
    const fused = byScores
      ? fuseScores(near.map(toCandidate), words, plan.hybrid)
      : fuseLegs(near.map(toCandidate), words, { ...plan.hybrid, limit: settings.limit });
    // With several variants the lists are fused again, which may use any hit; without variants only this page is shown.
    const shown = settings.strategy === 'vanilla' ? fused.slice(0, search.depth) : fused;
    const keys = shown.map(({ item }) => item.id);
    const read =
      keys.length === 0
        ? new Map<number, Chunk>()
        : (ahead?.chunksOf(keys) ?? (await chunks.read(keys, signal, settings.asOf)));
    if (read.size < keys.length && attempts > 1) return hybrid(text, search, attempts - 1);
    const semanticLegs = legScores(near);
    const fullTextLegs = legScores(matching);
    return shown.flatMap(({ item: { id: key }, score }) => {
      const chunk = read.get(key);
      const [inSemantic, inFullText] = [semanticLegs.get(key), fullTextLegs.get(key)];
      const legs = { ...(inSemantic && { semantic: inSemantic }), ...(inFullText && { fullText: inFullText }) };
      return chunk ? [{ ...chunk, score, ...legs }] : [];
    });

    async function rankWords(): Promise<readonly RankedChunk[]> {
      // The slower leg is the semantic one: its request to the vector index leaves first.
      await setImmediate();
      const candidates = Math.max(depth, plan.hybrid.fullTextLimit + settings.offset);
      const ranked = await fullText(text.fullText, { ...search, depth: candidates }, chunks.ranking);
      ahead?.offer(ranked);
      return ranked;
    }
  }

  // Pseudo-relevance feedback from the best hits of both legs.
  async function nearestWithFeedback(
    text: string,
    first: readonly RankedChunk[],
    { words, search }: { readonly words: readonly Candidate[]; readonly search: Search },
  ): Promise<readonly RankedChunk[]> {
    const { log, plan, signal } = search;
    if (first.length === 0) return first;
    const best = fuseScores<Candidate>(first.map(toCandidate), words, plan.hybrid).slice(0, FEEDBACK_HITS);
    const keys = best.map(({ item }) => item.id);
    const query = await log.time('embed', () => embedQuery(text, signal));
    const blended = await log.time('semantic', () => applyRelevanceFeedback({ chunks, query, keys, signal }));
    if (blended === undefined) return first;
    // If the corpus has switched to another embedder in the meantime, the first results are kept.
    return nearest(blended, search, chunks.nearestRanking).catch((error) => {
      if (error instanceof ServiceError && error.code === 'embedding_mismatch') return first;
      throw error;
    });
  }

  async function semantic<Hit>(text: string, search: Search, find: FindNearest<Hit>): Promise<readonly Hit[]> {
    const { log, signal } = search;
    const found = await withCurrentVector(
      () => log.time('embed', () => embedQuery(text, signal)),
      (embedded) => nearest(embedded, search, find),
    );
    log.hits('semantic', found.length);
    return found;
  }

  function nearest<Hit>(embedded: EmbeddedQuery, search: Search, find: FindNearest<Hit>): Promise<readonly Hit[]> {
    const { settings, plan, phraseFilters, log, signal } = search;
    const { filter, measure, asOf } = settings;
    const lists = plan.fusion === 'scores' ? { firstListLength: MIN_CANDIDATES } : {};
    const query = { measure, filter, asOf, phraseFilters, limit: search.depth, ...lists, signal, note: log.note };
    return log.time('semantic', () => find({ ...query, ...embedded }));
  }

  async function fullText<Hit>(text: string, search: Search, find: FindMatching<Hit>): Promise<readonly Hit[]> {
    const { settings, phraseFilters, depth, log, signal } = search;
    const { filter, readable, asOf } = settings;
    const query = { text, filter, readable, asOf, phraseFilters, corrected: log.corrections, limit: depth, signal };
    const found = await log.time('fullText', () => find(query));
    log.hits('fullText', found.length);
    return found;
  }

  return searchBothLegs;
}

/** Reads the first `count` chunks of both legs with the semantic ranking, if the full-text ranking is known by then. */
function createReadAhead(count: number) {
  let others: readonly number[] | undefined;
  let read: ReadonlyMap<number, Chunk> | undefined;
  return {
    first: count,
    others: () => others,
    receive(chunks: ReadonlyMap<number, Chunk>) {
      read = chunks;
    },
    offer(ranked: readonly RankedChunk[]) {
      others = ranked.slice(0, count).map(({ key }) => key);
    },
    /** Undefined unless all were read, which was in one query. */
    chunksOf: (keys: readonly number[]) => (keys.every((key) => read?.has(key)) ? read : undefined),
  };
}

/** A hit in the fusion; `id` is its key in the store. */
interface Candidate {
  readonly id: number;
  readonly score: number;
}

const legScores = (hits: readonly RankedChunk[]): Map<number, LegScore> =>
  new Map(hits.map(({ key, rank, score }) => [key, { rank, score }]));

const toCandidate = ({ key, score }: RankedChunk): Candidate => ({ id: key, score });

// On an embedder outage, full text alone is better than no answer.
function fullTextOnly(error: unknown, { settings, log, signal }: Search): readonly RankedChunk[] {
  if (!isOutage(error) || signal.aborted) throw error;
  log.note(`The semantic search failed (${messageFor(error, settings.audience)}); these are full-text results only.`);
  return [];
}
