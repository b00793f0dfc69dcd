import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { ChunkSearch } from '../store/chunk-search.ts';
import { analyseQuery, cutQuery, MAX_QUERY_CHARACTERS } from '../store/full-text/analyse.ts';
import { coverageOf } from './coverage.ts';
import { createQueryEmbedder, type EmbedQuery } from './embed-query.ts';
import { planSearch } from './plan-search.ts';
import { readQuery } from './read-query.ts';
import type { Reranker } from './rerank.ts';
import { resolvePhraseFilters } from './resolve-phrase-filters.ts';
import type { Retriever, SearchOutcome } from './retriever.ts';
import type { QueryVariants } from './rewrite-query.ts';
import type { Search } from './search.ts';
import { createSearchLegs } from './search-legs.ts';
import { createSearchLog } from './search-log.ts';
import { createPageSearch } from './search-page.ts';
import { createVariantSearch } from './search-variants.ts';

export interface RetrieverParts {
  readonly chunks: ChunkSearch;
  readonly embedder: EmbeddingModel;
  /** By default one that is not shared with other searches. */
  readonly embedQuery?: EmbedQuery;
  /** Writes the variants of hyde and rag_fusion; without it those strategies run a plain search and add a note. */
  readonly variants?: QueryVariants | undefined;
  readonly reranker?: Reranker | undefined;
}

export function createRetriever(parts: RetrieverParts): Retriever {
  const { chunks, embedder, variants, reranker, embedQuery = createQueryEmbedder(embedder) } = parts;
  const searchPage = createPageSearch(createVariantSearch(createSearchLegs(chunks, embedQuery), variants), reranker);

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
      const found = await searchPage(preferred, read.text, { settings, plan, phraseFilters, depth: 0, log, signal });
      refuseAborted(signal);
      const terms = analyseQuery(read.text);
      if (found.length > 0 && terms.length > 0 && log.found('fullText') === 0) log.note(ONLY_SIMILAR);
      return {
        chunks: found,
        explanation: {
          ...log.explain(settings.strategy, plan, embedder.name, terms),
          ...(settings.explain && { coverage: coverageOf(read.text, found) }),
        },
      };
    },
  };
}

/** With vectors something is always nearest, also to a query about something else. */
const ONLY_SIMILAR =
  'No passage contains a word of the query. These are the most similar ones, which may be about something else.';

async function notePrunedVersions(
  chunks: ChunkSearch,
  asOf: string,
  { settings, log, signal }: Pick<Search, 'settings' | 'log' | 'signal'>,
): Promise<void> {
  const count = (await chunks.countPrunedVersions?.(asOf, settings.filter, signal)) ?? 0;
  if (count > 0) log.note(`${count} documents had a version at that time that has been pruned.`);
}

function refuseAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ServiceError('cancelled', 'The search was cancelled.', { cause: signal.reason });
}
