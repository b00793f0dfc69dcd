import type { Correction } from '../../chunk-search.ts';
import { beginningOf, type QueryTerms } from '../../full-text/analyse.ts';
import { nearStems } from '../../full-text/near-stems.ts';
import type { KeySet } from '../search/key-set.ts';
import { nearTerms } from './near-terms.ts';
import type { TermIndex } from './term-index.ts';

/** Shorter words are near to too many others. */
const SHORTEST = 5;
/** From this length on two letters may be wrong. */
const LONG = 8;
/** A letter less than the index holds of a beginning: the last may be one of two that were exchanged. */
const KNOWN_BEGINNING = 4;
const MOST_INSTEAD = 3;
/** Words of one query looked at, and steps through the vocabulary for each slip: 0.02 to 0.1 ms each. */
const MOST_WORDS = 4;
const STEPS = 200;

/**
 * For words of the query that no passage has, the terms of words that have a letter more, less or another, or two
 * exchanged; of long words, two such slips where one leads nowhere. The first letter is taken to be right.
 *
 * Only the passages that pass count: what others wrote is neither suggested nor told by a suggestion that stays out.
 */
export function correctWords(whole: TermIndex, words: QueryTerms['words'], allowed: KeySet | undefined): Correction[] {
  const index = allowed === undefined ? whole : { ...whole, count: countAmong(whole, allowed) };
  const unknown = words.filter(([term, word]) => [...word].length >= SHORTEST && index.count(term) === 0);
  return unknown.slice(0, MOST_WORDS).flatMap(([term, word]) => {
    const instead = standIns(index, term, word);
    return instead.length === 0 ? [] : [{ word, instead }];
  });
}

const countAmong = (index: TermIndex, allowed: KeySet) => (term: string) =>
  index.count(term) === 0
    ? 0
    : index.postings(term).reduce((sum, posting) => sum + (allowed.has(Math.abs(posting)) ? 1 : 0), 0);

function standIns(index: TermIndex, term: string, word: string): string[] {
  const beginning = beginningOf(word);
  const sameBeginning = beginning !== undefined && index.count(beginning) > 0 ? KNOWN_BEGINNING : 1;
  const near = (distance: number) =>
    nearTerms(index.seek, { word: term, distance, steps: STEPS, sameBeginning }).map((each) => each.term);
  const one = commonest(index, [...near(1), ...nearStems(word)]);
  if (one.length > 0 || [...word].length < LONG) return one;
  return commonest(index, near(2));
}

function commonest(index: TermIndex, terms: readonly string[]): string[] {
  return [...new Set(terms)]
    .filter((term) => /^[\p{L}\p{M}]+$/u.test(term))
    .map((term) => ({ term, count: index.count(term) }))
    .filter(({ count }) => count > 0)
    .sort((one, two) => two.count - one.count)
    .slice(0, MOST_INSTEAD)
    .map(({ term }) => term);
}
