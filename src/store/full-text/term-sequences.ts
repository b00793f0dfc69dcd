import { analyse, analyseAs } from './analyse.ts';

/**
 * Every way in which the index may hold these words one right after the other: as terms of English or an unknown
 * language, and as those of inflected ones, where the beginnings of words stand between. Empty when there are none.
 */
export function termSequences(words: string): readonly (readonly string[])[] {
  const [plain, inflected] = [analyseAs(words, false), analyseAs(words, true)];
  if (plain.length === 0) return [];
  return plain.length === inflected.length ? [plain] : [plain, inflected];
}

/** Whether a text says the words, one right after the other. */
export function saysWords(text: string, words: string): boolean {
  const terms = ` ${analyse(text).join(' ')} `;
  return termSequences(words).some((sequence) => terms.includes(` ${sequence.join(' ')} `));
}
