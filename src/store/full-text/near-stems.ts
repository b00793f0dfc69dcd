import { stemmer } from 'stemmer';

/** Number of final letters in which a typing error changes how much of a word the stemmer removes. */
const ENDING = 7;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/**
 * Stems of the words that differ in one letter near their end: `developmnet` is far from the stem `develop`, but one
 * typing error away from a word with that stem. Words with letters other than English ones have none.
 */
export function nearStems(word: string): string[] {
  if (!/^[a-z]+$/.test(word)) return [];
  const stems = new Set<string>();
  for (let at = Math.max(1, word.length - ENDING); at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    const variants = [
      before + after.slice(1),
      before + (after[1] ?? '') + (after[0] ?? '') + after.slice(2),
      ...LETTERS.flatMap((letter) => [before + letter + after, before + letter + after.slice(1)]),
    ];
    for (const variant of variants) {
      const stem = stemmer(variant);
      // The other stems are close to the word itself and found that way.
      if (variant !== word && stem !== variant) stems.add(stem);
    }
  }
  stems.delete(stemmer(word));
  return [...stems];
}
