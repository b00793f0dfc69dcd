import type { ScoredChunk } from '../documents/chunk.ts';
import { messageFor } from '../errors.ts';
import { fuseVariants } from './fuse-ranks.ts';
import { isOutage } from './is-outage.ts';
import type { QueryVariants } from './rewrite-query.ts';
import type { Search } from './search.ts';
import type { SearchLegs } from './search-legs.ts';

/** Searches for a query, or for the variants that a model writes of it. */
export type SearchVariants = (query: string, search: Search) => Promise<readonly ScoredChunk[]>;

export function createVariantSearch(searchLegs: SearchLegs, variants: QueryVariants | undefined): SearchVariants {
  return async (query, search) => {
    const { strategy } = search.settings;
    const searchUnchanged = () => searchLegs({ semantic: query, fullText: query }, search);
    if (strategy === 'vanilla') return searchUnchanged();
    const written = await writeVariants(variants, query, search);
    if (written.length === 0) return searchUnchanged();
    if (strategy === 'hyde') {
      // The vector of the hypothetical answer is used, but not its words, which may be wrong.
      const lists = await Promise.all(written.map((text) => searchLegs({ semantic: text, fullText: query }, search)));
      return bestOfEach(lists);
    }
    const texts = [query, ...written];
    const lists = await Promise.all(texts.map((text) => searchLegs({ semantic: text, fullText: text }, search)));
    return fuseVariants(lists).map(({ item, score }) => ({ ...item, score }));
  };
}

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
    log.note(
      `The model for "${strategy}" failed (${messageFor(error, settings.audience)}); the query was searched as it is.`,
    );
    return [];
  }
}

function bestOfEach(lists: readonly (readonly ScoredChunk[])[]): ScoredChunk[] {
  const best = new Map<string, ScoredChunk>();
  for (const chunk of lists.flat()) {
    const known = best.get(chunk.id);
    if (known === undefined || chunk.score > known.score) best.set(chunk.id, chunk);
  }
  return [...best.values()].sort((one, two) => two.score - one.score);
}
