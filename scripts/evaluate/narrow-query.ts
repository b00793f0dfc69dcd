import { type Random, seededRandom } from '../seeded-random.ts';

/** The documents that a query may find: the relevant ones, and others at random. */
export function chooseDocuments(
  relevant: Iterable<string>,
  all: readonly string[],
  { others, seed }: { readonly others: number; readonly seed: number },
): string[] {
  const random = seededRandom(seed);
  const chosen = new Set(relevant);
  const wanted = Math.min(all.length, chosen.size + others);
  while (chosen.size < wanted) {
    const document = all[random.integer(0, all.length - 1)];
    if (document !== undefined) chosen.add(document);
  }
  return [...chosen];
}

/** Shorter words are not corrected by search. */
const SHORTEST = 5;
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'] as [string, ...string[]];

/** The text with a typing error after the first letter of one of its longer words; the same text if it has none. */
export function withTypingError(text: string, seed: number): string {
  const random = seededRandom(seed);
  const words = [...text.matchAll(/\p{L}+/gu)].filter(([word]) => word.length >= SHORTEST);
  const chosen = words[random.integer(0, words.length - 1)];
  if (chosen === undefined) return text;
  const [word] = chosen;
  const end = chosen.index + word.length;
  return text.slice(0, chosen.index) + misspelt(word, random) + text.slice(end);
}

/** One letter missing, added, replaced or swapped with the next. */
function misspelt(word: string, random: Random): string {
  const at = random.integer(1, word.length - 2);
  const [before, after] = [word.slice(0, at), word.slice(at)];
  const letter = random.pick(LETTERS);
  return random.pick([
    before + after.slice(1),
    before + letter + after,
    before + letter + after.slice(1),
    before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2),
  ]);
}
