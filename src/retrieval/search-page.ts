import type { ScoredChunk } from '../documents/chunk.ts';
import { mergeNeighbours } from './merge-neighbours.ts';
import { type Reranker, rerank } from './rerank.ts';
import type { Search } from './search.ts';
import { defaultShaping, type SearchSettings } from './search-settings.ts';
import type { SearchVariants } from './search-variants.ts';
import { mayRemoveResults, shapeResults } from './shape-results.ts';

const nextDepth = (read: number): number => Math.max(200, 2 * read);
const DEPTH_FACTOR = 5;
const MAX_DEPTH = 5_000;

/** Finds the page of hits that a search asks for, reranked and shaped. Hits with these phrases come before the others. */
export type SearchPage = (phrases: readonly string[], query: string, search: Search) => Promise<readonly ScoredChunk[]>;

export function createPageSearch(searchVariants: SearchVariants, reranker: Reranker | undefined): SearchPage {
  // Hits with the phrases come first, then the others.
  async function searchPreferringPhrases(phrases: readonly string[], query: string, search: Search) {
    if (phrases.length === 0) return searchVariants(query, search);
    const excluded = search.phraseFilters?.excluded ?? [];
    const withPhrases = await searchVariants(query, { ...search, phraseFilters: { required: phrases, excluded } });
    if (withPhrases.length >= search.depth) return withPhrases;
    const known = new Set(withPhrases.map(({ id }) => id));
    const min = withPhrases.at(-1)?.score ?? Number.POSITIVE_INFINITY;
    const others = (await searchVariants(query, search)).filter(({ id }) => !known.has(id));
    return [...withPhrases, ...others.map((chunk) => ({ ...chunk, score: Math.min(chunk.score, min) }))];
  }

  // Reads further candidates when post-processing removes too many to fill the page.
  return async (phrases, query, search) => {
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
  };
}

function rerankDepth(settings: SearchSettings['rerank'], reranker: Reranker | undefined): number {
  if (reranker === undefined || settings?.enabled === false) return 0;
  return settings?.depth ?? reranker.depth;
}
