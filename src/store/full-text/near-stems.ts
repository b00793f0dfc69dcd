import { stemmer } from 'stemmer';

/** Letters at the end in which a slip changes how much of a word the stemmer takes off. */
const ENDING = 7;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/**
 * Stems of the words that differ in one letter near their end: `developmnet` is far from `develop`, and yet one slip
 * from a word with that stem. Words of other letters than English have none.
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
      // Others are near the word itself and found as such.
      if (variant !== word && stem !== variant) stems.add(stem);
    }
  }
  stems.delete(stemmer(word));
  return [...stems];
}
