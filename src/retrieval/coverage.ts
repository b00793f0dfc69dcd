import type { Chunk } from '../documents/chunk.ts';
import { analyse, beginningOf, readQueryTerms } from '../store/full-text/analyse.ts';

/** How much of a question the chunks found speak of, by its words. */
export interface Coverage {
  /** Share of the question's telling words that the best chunk has, 0 to 1. A right chunk has most of them. */
  readonly score: number;
  /** Words of the question that none of the chunks looked at has. */
  readonly missing: readonly string[];
}

/** Number of chunks looked at, the first ones. */
const CHUNKS_COMPARED = 10;

/** Null for a question without words. */
export function coverageOf(query: string, chunks: readonly Chunk[]): Coverage | null {
  const { terms, words } = readQueryTerms(query);
  const typed = new Map(words);
  // Beginnings repeat words of inflected languages, which they are looked up with below.
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
