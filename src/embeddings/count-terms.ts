import { analyseForEmbedding } from '../store/full-text/analyse.ts';
import { stopWords } from '../store/full-text/stop-words.ts';

/** Longer texts are truncated; chunks are far shorter. */
const MAX_LENGTH = 100_000;

/**
 * Frequency of each term in a text, by the analyser of full-text search. Stop words are counted only if the text has no
 * other terms.
 */
export function countTerms(text: string): Map<string, number> {
  const terms = analyseForEmbedding(text.slice(0, MAX_LENGTH));
  const contentTerms = terms.filter((term) => !stopWords.has(term));
  const counts = new Map<string, number>();
  for (const term of contentTerms.length > 0 ? contentTerms : terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
