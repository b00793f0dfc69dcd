import type { Chunk, LegScore, ScoredChunk } from '../documents/chunk.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { ChunkSearch, PhraseFilters, RankedChunk, VectorQuery } from '../store/chunk-search.ts';
import { analyseQuery, cutQuery, MAX_QUERY_CHARACTERS } from '../store/full-text/analyse.ts';
import { coverageOf } from './coverage.ts';
import { createQueryEmbedder, type EmbeddedQuery, type EmbedQuery, withCurrentVector } from './embed-query.ts';
import { fuseLegs, fuseVariants } from './fuse-ranks.ts';
import { fuseScores, MIN_CANDIDATES } from './fuse-scores.ts';
import { isOutage } from './is-outage.ts';
import { mergeNeighbours } from './merge-neighbours.ts';
import { planSearch, type SearchPlan } from './plan-search.ts';
import { readQuery } from './read-query.ts';
import { applyRelevanceFeedback, FEEDBACK_HITS } from './relevance-feedback.ts';
import { type Reranker, rerank } from './rerank.ts';
import { resolvePhraseFilters } from './resolve-phrase-filters.ts';
import type { Retriever, SearchOutcome } from './retriever.ts';
import type { QueryVariants } from './rewrite-query.ts';
import { createSearchLog, type SearchLog } from './search-log.ts';
import { defaultShaping, type SearchSettings } from './search-settings.ts';
import { mayRemoveResults, shapeResults } from './shape-results.ts';

export interface RetrieverParts {
  readonly chunks: ChunkSearch;
  readonly embedder: EmbeddingModel;
  /** By default one that is not shared with other searches. */
  readonly embedQuery?: EmbedQuery;
  /** Writes the variants of hyde and rag_fusion; without it those strategies run a plain search and add a note. */
  readonly variants?: QueryVariants | undefined;
  readonly reranker?: Reranker | undefined;
}

/** Parameters of one search. */
interface Search {
  readonly settings: SearchSettings;
  readonly plan: SearchPlan;
  /** Phrases every hit must and must not contain. */
  readonly phraseFilters: PhraseFilters | undefined;
  /** Number of hits needed before any are removed. */
  readonly depth: number;
  readonly log: SearchLog;
  readonly signal: AbortSignal;
}

export function createRetriever(parts: RetrieverParts): Retriever {
  const { chunks, embedder, variants, reranker, embedQuery = createQueryEmbedder(embedder) } = parts;

  async function searchBothLegs(text: LegTexts, search: Search): Promise<readonly ScoredChunk[]> {
    switch (search.plan.kind) {
      case 'semantic':
        return (await semantic(text.semantic, search, chunks.nearest)).map(({ key: _, ...chunk }) => chunk);
      case 'full_text':
        return fullText(text.fullText, search);
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
    const [first, matching] = await Promise.all([
      semantic(text.semantic, wide, chunks.nearestRanking).catch((error) => fullTextOnly(error, search)),
      ranking(text.fullText, Math.max(depth, plan.hybrid.fullTextLimit + settings.offset), search),
    ]);
    const words = matching.map(identify);
    const near = byScores ? await nearestWithFeedback(text.semantic, first, { words, search: wide }) : first;
    const fused = byScores
      ? fuseScores(near.map(identify), words, plan.hybrid)
      : fuseLegs(near.map(identify), words, { ...plan.hybrid, limit: settings.limit });
    // With several variants the lists are fused again, which may use any hit; without variants only this page is shown.
    const shown = settings.strategy === 'vanilla' ? fused.slice(0, search.depth) : fused;
    const keys = shown.map(({ item }) => item.key);
    const read = keys.length === 0 ? new Map<number, Chunk>() : await chunks.read(keys, signal, settings.asOf);
    if (read.size < keys.length && attempts > 1) return hybrid(text, search, attempts - 1);
    const semanticLegs = legScores(near);
    const fullTextLegs = legScores(matching);
    return shown.flatMap(({ item: { key }, score }) => {
      const chunk = read.get(key);
      const [inSemantic, inFullText] = [semanticLegs.get(key), fullTextLegs.get(key)];
      const legs = { ...(inSemantic && { semantic: inSemantic }), ...(inFullText && { fullText: inFullText }) };
      return chunk ? [{ ...chunk, score, ...legs }] : [];
    });
  }

  // Pseudo-relevance feedback from the best hits of both legs.
  async function nearestWithFeedback(
    text: string,
    first: readonly RankedChunk[],
    { words, search }: { readonly words: readonly Candidate[]; readonly search: Search },
  ): Promise<readonly RankedChunk[]> {
    const { log, plan, signal } = search;
    if (first.length === 0) return first;
    const best = fuseScores<Candidate>(first.map(identify), words, plan.hybrid).slice(0, FEEDBACK_HITS);
    const keys = best.map(({ item }) => item.key);
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

  async function fullText(text: string, search: Search): Promise<readonly ScoredChunk[]> {
    const { settings, phraseFilters, log, signal } = search;
    const { filter, asOf } = settings;
    const query = { text, filter, asOf, phraseFilters, corrected: log.corrections, limit: search.depth, signal };
    const found = await log.time('fullText', () => chunks.matching(query));
    log.hits('fullText', found.length);
    return found;
  }

  async function ranking(text: string, limit: number, search: Search): Promise<readonly RankedChunk[]> {
    const { settings, phraseFilters, log, signal } = search;
    const { filter, asOf } = settings;
    const query = {
      text,
      filter,
      asOf,
      phraseFilters,
      corrected: log.corrections,
      limit,
      signal,
    };
    const found = await log.time('fullText', () => chunks.ranking(query));
    log.hits('fullText', found.length);
    return found;
  }

  async function searchByVariants(query: string, search: Search): Promise<readonly ScoredChunk[]> {
    const { strategy } = search.settings;
    const searchUnchanged = () => searchBothLegs({ semantic: query, fullText: query }, search);
    if (strategy === 'vanilla') return searchUnchanged();
    const written = await writeVariants(variants, query, search);
    if (written.length === 0) return searchUnchanged();
    if (strategy === 'hyde') {
      // The vector of the hypothetical answer is used, but not its words, which may be wrong.
      const lists = await Promise.all(
        written.map((text) => searchBothLegs({ semantic: text, fullText: query }, search)),
      );
      return bestOfEach(lists);
    }
    const texts = [query, ...written];
    const lists = await Promise.all(texts.map((text) => searchBothLegs({ semantic: text, fullText: text }, search)));
    return fuseVariants(lists).map(({ item, score }) => ({ ...item, score }));
  }

  // Hits with the phrases come first, then the others.
  async function searchPreferringPhrases(phrases: readonly string[], query: string, search: Search) {
    if (phrases.length === 0) return searchByVariants(query, search);
    const excluded = search.phraseFilters?.excluded ?? [];
    const withPhrases = await searchByVariants(query, { ...search, phraseFilters: { required: phrases, excluded } });
    if (withPhrases.length >= search.depth) return withPhrases;
    const known = new Set(withPhrases.map(({ id }) => id));
    const min = withPhrases.at(-1)?.score ?? Number.POSITIVE_INFINITY;
    const others = (await searchByVariants(query, search)).filter(({ id }) => !known.has(id));
    return [...withPhrases, ...others.map((chunk) => ({ ...chunk, score: Math.min(chunk.score, min) }))];
  }

  // Reads further candidates when post-processing removes too many to fill the page.
  async function searchShaped(phrases: readonly string[], query: string, search: Search) {
    const { settings, log } = search;
    const wanted = settings.offset + settings.limit;
    const shaping = { ...defaultShaping, ...settings.shaping };
    const depth = rerankDepth(settings.rerank, reranker);
    const read = Math.max(wanted, depth);
    let found = await searchPreferringPhrases(phrases, query, {
      ...search,
      depth: mayRemoveResults(shaping) ? nextDepth(read) : read,
    });
    if (reranker && depth > 0) found = await rerank(found, { ...search, reranker, query, depth });
    let shaped = shapeResults(found, shaping, log.drop);
    for (let reach = nextDepth(read); shaped.length < wanted && found.length >= reach; reach *= DEPTH_FACTOR) {
      const known = new Set(found.map(({ id }) => id));
      const further = await searchPreferringPhrases(phrases, query, { ...search, depth: reach * DEPTH_FACTOR });
      found = [...found, ...further.filter(({ id }) => !known.has(id))];
      shaped = shapeResults(found, shaping, log.drop);
      if (reach >= MAX_DEPTH) break;
    }
    const page = shaped.slice(settings.offset, wanted);
    return shaping.mergeNeighbours ? mergeNeighbours(page, log.drop) : page;
  }

  return {
    async search(query, settings, signal): Promise<SearchOutcome> {
      if (query.trim() === '') {
        throw new ServiceError('invalid_request', 'The query is empty. Say what to look for.');
      }
      refuseAborted(signal);
      const plan = planSearch(settings, embedder);
      const log = createSearchLog();
      if (plan.note !== undefined) log.note(plan.note);
      if (settings.asOf !== undefined) await notePrunedVersions(chunks, settings.asOf, { settings, log, signal });
      const read = readQuery(cutQuery(query));
      if (query.length > MAX_QUERY_CHARACTERS) {
        log.note(`The query is too long; only its first ${MAX_QUERY_CHARACTERS} characters were searched for.`);
      }
      const { phraseFilters, preferred } = await resolvePhraseFilters(read, { chunks, settings, log, signal });
      const found = await searchShaped(preferred, read.text, { settings, plan, phraseFilters, depth: 0, log, signal });
      refuseAborted(signal);
      return {
        chunks: found,
        explanation: {
          ...log.explain(settings.strategy, plan, embedder.name, analyseQuery(read.text)),
          ...(settings.explain && { coverage: coverageOf(read.text, found) }),
        },
      };
    },
  };
}

/** Maximum number of times a hybrid search is run when the corpus changes during it. */
const MAX_HYBRID_ATTEMPTS = 3;

const nextDepth = (read: number): number => Math.max(200, 2 * read);
const DEPTH_FACTOR = 5;
const MAX_DEPTH = 5_000;

function rerankDepth(settings: SearchSettings['rerank'], reranker: Reranker | undefined): number {
  if (reranker === undefined || settings?.enabled === false) return 0;
  return settings?.depth ?? reranker.depth;
}

async function notePrunedVersions(
  chunks: ChunkSearch,
  asOf: string,
  { settings, log, signal }: Pick<Search, 'settings' | 'log' | 'signal'>,
): Promise<void> {
  const count = (await chunks.countPrunedVersions?.(asOf, settings.filter, signal)) ?? 0;
  if (count > 0) log.note(`${count} documents had a version at that time that has been pruned.`);
}

/** Query text of each leg; they differ only for hypothetical answers. */
interface LegTexts {
  readonly semantic: string;
  readonly fullText: string;
}

/** A nearest-neighbour search that returns chunks, or only their ranking. */
type FindNearest<Hit> = (query: VectorQuery) => Promise<readonly Hit[]>;

/** A hit in the fusion. */
interface Candidate {
  readonly id: string;
  readonly key: number;
  readonly score: number;
}

const legScores = (hits: readonly RankedChunk[]): Map<number, LegScore> =>
  new Map(hits.map(({ key, rank, score }) => [key, { rank, score }]));

const identify = ({ key, score }: { readonly key: number; readonly score: number }): Candidate => ({
  id: String(key),
  key,
  score,
});

async function writeVariants(
  variants: QueryVariants | undefined,
  query: string,
  { settings, log, signal }: Search,
): Promise<readonly string[]> {
  const { strategy, subQueries } = settings;
  if (strategy === 'vanilla') return [];
  if (variants === undefined) {
    log.note(`"${strategy}" needs a language model and none is configured; the query was searched as it is.`);
    return [];
  }
  // The original query is one of rag_fusion's queries.
  const count = Math.max(1, strategy === 'rag_fusion' ? subQueries - 1 : subQueries);
  try {
    const written = await variants.write({ query, strategy, count }, signal);
    if (written.length === 0) log.note(`The model wrote nothing for "${strategy}"; the query was searched as it is.`);
    return written;
  } catch (error) {
    if (!isOutage(error) || signal.aborted) throw error;
    log.note(`The model for "${strategy}" failed (${error.message}); the query was searched as it is.`);
    return [];
  }
}

// On an embedder outage, full text alone is better than no answer.
function fullTextOnly(error: unknown, { log, signal }: Search): readonly RankedChunk[] {
  if (!isOutage(error) || signal.aborted) throw error;
  log.note(`The semantic search failed (${error.message}); these are full-text results only.`);
  return [];
}

function bestOfEach(lists: readonly (readonly ScoredChunk[])[]): ScoredChunk[] {
  const best = new Map<string, ScoredChunk>();
  for (const chunk of lists.flat()) {
    const known = best.get(chunk.id);
    if (known === undefined || chunk.score > known.score) best.set(chunk.id, chunk);
  }
  return [...best.values()].sort((one, two) => two.score - one.score);
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ServiceError('cancelled', 'The search was cancelled.', { cause: signal.reason });
}
