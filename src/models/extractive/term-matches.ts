import type { QuestionTerm } from './question.ts';

/** How well each term of a question is matched, 0 to 1, in the order of the terms. */
export type Matches = readonly number[];

// Weight of a prefix match relative to an exact match.
const PREFIX_MATCH = 0.7;
// Dice coefficient of character trigrams from which two words count as forms of one; below it most are unrelated.
const MIN_SIMILARITY = 0.4;
const MIN_LENGTH = 3;
/** Words that occur in character n-grams or with digits match exactly or not at all. */
const INEXACT =
  /^[[\p{L}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]]+$/v;

/**
 * Matches terms of texts with those of a question: exactly, by the prefix term, or by similar spelling, which finds other
 * inflections and compounds. Remembers each term, because texts repeat them.
 */
export function createMatcher(question: readonly QuestionTerm[]): (terms: Iterable<string>) => Matches {
  const known = new Map<string, readonly (readonly [index: number, match: number])[]>();
  const trigrams = question.map(({ forms: [word = ''] }) => (isComparable(word) ? trigramsOf(word) : []));
  const owners = new Map<string, number[]>();
  for (const [index, own] of trigrams.entries()) {
    for (const trigram of own) owners.set(trigram, [...(owners.get(trigram) ?? []), index]);
  }

  function read(term: string): readonly (readonly [number, number])[] {
    const found: (readonly [number, number])[] = [];
    const shared = new Map<number, number>();
    const own = isComparable(term) ? trigramsOf(term) : [];
    for (const trigram of own) {
      for (const index of owners.get(trigram) ?? []) shared.set(index, (shared.get(index) ?? 0) + 1);
    }
    for (const [index, { forms }] of question.entries()) {
      const form = forms.indexOf(term);
      if (form !== -1) {
        found.push([index, form === 0 ? 1 : PREFIX_MATCH]);
        continue;
      }
      const similarity = (2 * (shared.get(index) ?? 0)) / (own.length + (trigrams[index]?.length ?? 0) || 1);
      if (similarity >= MIN_SIMILARITY) found.push([index, similarity]);
    }
    return found;
  }

  return (terms) => {
    const matches = question.map(() => 0);
    for (const term of terms) {
      const found = known.get(term) ?? read(term);
      known.set(term, found);
      for (const [index, match] of found) matches[index] = Math.max(matches[index] ?? 0, match);
    }
    return matches;
  };
}

/** The better match of each term. */
export function bestOf(...all: readonly (Matches | undefined)[]): Matches {
  const best: number[] = [];
  for (const matches of all) {
    for (const [index, match] of (matches ?? []).entries()) best[index] = Math.max(best[index] ?? 0, match);
  }
  return best;
}

const isComparable = (word: string): boolean => word.length >= MIN_LENGTH && INEXACT.test(word);

/** Distinct trigrams of a word, with its beginning and end marked. */
function trigramsOf(word: string): readonly string[] {
  const marked = `^${word}$`;
  return [...new Set(Array.from({ length: marked.length - 2 }, (_, at) => marked.slice(at, at + 3)))];
}
