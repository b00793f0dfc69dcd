import { analyse, analyseAs } from './analyse.ts';

/**
 * All term sequences under which the index may hold these consecutive words: as terms of English or an unknown
 * language, and as terms of inflected languages, with prefix terms in between. Empty when there are none.
 */
export function termSequences(words: string): readonly (readonly string[])[] {
  const [plain, inflected] = [analyseAs(words, false), analyseAs(words, true)];
  if (plain.length === 0) return [];
  return plain.length === inflected.length ? [plain] : [plain, inflected];
}

/** Whether a text contains the words consecutively. */
export function containsPhrase(text: string, words: string): boolean {
  const terms = ` ${analyse(text).join(' ')} `;
  return termSequences(words).some((sequence) => terms.includes(` ${sequence.join(' ')} `));
}
