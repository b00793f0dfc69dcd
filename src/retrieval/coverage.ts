import type { Chunk } from '../documents/chunk.ts';
import { analyse, beginningOf, readQueryTerms } from '../store/full-text/analyse.ts';

/** How many words of a question occur in the chunks that were found. */
export interface Coverage {
  /** Largest share of the question's terms found in a single chunk, 0 to 1. A relevant chunk contains most of them. */
  readonly score: number;
  /** Words of the question that occur in none of the compared chunks. */
  readonly missing: readonly string[];
}

/** Only this many of the top chunks are compared. */
const CHUNKS_COMPARED = 10;

/** Null for a question without words. */
export function coverageOf(query: string, chunks: readonly Chunk[]): Coverage | null {
  const { terms, words } = readQueryTerms(query);
  const typed = new Map(words);
  // Prefix terms (ending in "-") repeat words of inflected languages; `has` looks those up by prefix as well.
  const wanted = terms.filter((term) => !term.endsWith('-'));
  if (wanted.length === 0) return null;
  const chunkTerms = chunks.slice(0, CHUNKS_COMPARED).map((chunk) => new Set(analyse(wordsOf(chunk))));
  const has = (ofChunk: ReadonlySet<string>, term: string): boolean => {
    const beginning = beginningOf(typed.get(term) ?? term);
    return ofChunk.has(term) || (beginning !== undefined && ofChunk.has(beginning));
  };
  const best = Math.max(0, ...chunkTerms.map((ofChunk) => wanted.filter((term) => has(ofChunk, term)).length));
  return {
    score: Math.round((best / wanted.length) * 100) / 100,
    missing: wanted
      .filter((term) => !chunkTerms.some((ofChunk) => has(ofChunk, term)))
      .map((term) => typed.get(term) ?? term),
  };
}

function wordsOf({ metadata, headingPath, text }: Chunk): string {
  const title = metadata['title'];
  return [...(typeof title === 'string' ? [title] : []), ...headingPath, text].join('\n');
}
