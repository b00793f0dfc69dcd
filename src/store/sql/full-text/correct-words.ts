import type { Correction } from '../../chunk-search.ts';
import { beginningOf, type QueryTerms } from '../../full-text/analyse.ts';
import { nearStems } from '../../full-text/near-stems.ts';
import type { KeySet } from '../search/key-set.ts';
import type { Vocabulary } from './filter-vocabulary.ts';
import { nearTerms } from './near-terms.ts';
import { countOccurrences } from './postings.ts';
import type { TermIndex } from './term-index.ts';

/** Shorter words are close to too many others. */
const SHORTEST = 5;
/** From this length on, two letters may be wrong. */
const LONG = 8;
/** One letter fewer than in a prefix term of the index: its last letter may be one of two that were transposed. */
const KNOWN_BEGINNING = 4;
const MAX_CORRECTIONS = 3;
/** Words corrected per query; each edit takes 0.02 to 0.1 ms to walk the vocabulary. */
const MAX_WORDS = 4;
const STEPS = 200;
/** Words at the beginning of a query that are checked; under a filter, occurrences are read for this. */
const MAX_WORDS_CHECKED = 64;
const MAX_POSTINGS_CHECKED = 300_000;

/** The chunks that pass the filter, all if undefined, and access to their terms if the chunks are few. */
export interface AllowedChunks {
  readonly allowed: KeySet | undefined;
  /** The terms of these chunks, if they were read before. */
  readonly own?: () => Vocabulary | undefined;
  /** Reads the terms of these chunks, if that saves more time than it costs. */
  readonly few?: () => Vocabulary | undefined;
  /** More chunks, whose words are correct as well: null for all, or those returned. */
  readonly readable?: null | (() => KeySet | undefined);
}

/**
 * Spelling correction for query words found in no readable chunk: the terms of words at edit distance one (Damerau-Levenshtein:
 * insertion, deletion, substitution, transposition), and for long words at distance two if distance one finds nothing.
 * The first letter is assumed to be correct.
 *
 * A word that is found outside the filter is spelt correctly, whatever the few chunks that pass contain. Replacements
 * are terms of chunks that pass. No other than readable chunks count, so that corrections reveal nothing about other
 * users' content.
 */
export function correctWords(
  whole: TermIndex,
  words: QueryTerms['words'],
  { allowed, own: read, few, readable }: AllowedChunks,
): Correction[] {
  const inMemory = read?.()?.count;
  const count = inMemory ?? (allowed === undefined ? whole.count : countAmong(whole, allowed));
  const isAllowed = (term: string) =>
    inMemory === undefined && allowed !== undefined ? isAmong(whole, allowed, term) : count(term) > 0;
  const isFound = (term: string) =>
    readable === null ? whole.count(term) > 0 : isAllowed(term) || isReadable(whole, readable, term);
  const index = { ...whole, count };
  const unknown: (readonly [term: string, word: string])[] = [];
  let checked = 0;
  for (const [term, word] of words.slice(0, MAX_WORDS_CHECKED)) {
    checked += allowed === undefined || readable === null ? 0 : whole.count(term);
    if (unknown.length === MAX_WORDS || checked > MAX_POSTINGS_CHECKED) break;
    if ([...word].length >= SHORTEST && !isFound(term)) unknown.push([term, word]);
  }
  const own = unknown.length === 0 ? undefined : few?.();
  const searched = { ...index, count: own?.count ?? index.count };
  const known = own?.corrections ?? (allowed ? undefined : whole.chunks.known?.corrections);
  return unknown.flatMap(([term, word]) => {
    const find = () => corrections(searched, own, { term, word });
    const instead = known?.getOrCreate(`${term} ${word}`, find) ?? find();
    return instead.length === 0 ? [] : [{ word, instead }];
  });
}

// Most words are found after few postings, so not all of them have to be checked.
const isAmong = (index: TermIndex, allowed: KeySet, term: string): boolean =>
  index.count(term) > 0 && index.postings(term).keys.some((key) => allowed.has(key));

function isReadable(whole: TermIndex, readable: (() => KeySet | undefined) | undefined, term: string): boolean {
  if (readable === undefined || whole.count(term) === 0) return false;
  const keys = readable();
  return keys === undefined || isAmong(whole, keys, term);
}

const countAmong = (index: TermIndex, allowed: KeySet) => (term: string) =>
  index.count(term) === 0 ? 0 : countOccurrences(index.postings(term), (key) => allowed.has(key));

function corrections(
  { count, seek }: Pick<TermIndex, 'count' | 'seek'>,
  own: Vocabulary | undefined,
  { term, word }: { readonly term: string; readonly word: string },
): readonly string[] {
  const beginning = beginningOf(word);
  const sameBeginning = beginning !== undefined && count(beginning) > 0 ? KNOWN_BEGINNING : 1;
  const near = (distance: number) => {
    const query = { word: term, distance, steps: STEPS, sameBeginning };
    // If none of the chunks that pass has a similar term, the walk through the index can find none that counts.
    if (own) {
      const near = nearTerms(own.seek, { ...query, steps: Number.POSITIVE_INFINITY });
      if (near.length === 0 || own.isWhole) return near.map((each) => each.term);
    }
    return nearTerms(seek, query).map((each) => each.term);
  };
  const one = mostFrequent(count, [...near(1), ...presentAmong(nearStems(word), own?.seek ?? seek)]);
  if (one.length > 0 || [...word].length < LONG) return one;
  return mostFrequent(count, near(2));
}

/**
 * Those of these terms, which have English letters only, that occur in the vocabulary. Most of them lie between the same
 * few terms of it, so that a few steps show that they are missing.
 */
function presentAmong(terms: readonly string[], seek: TermIndex['seek']): string[] {
  const present = new Set<string>();
  let next: string | undefined = '';
  for (const term of [...terms].sort()) {
    if (next !== undefined && next < term) next = seek(term);
    if (next === undefined) break;
    if (next === term) present.add(term);
  }
  return terms.filter((term) => present.has(term));
}

function mostFrequent(count: TermIndex['count'], terms: readonly string[]): string[] {
  return [...new Set(terms)]
    .filter((term) => /^[\p{L}\p{M}]+$/u.test(term))
    .map((term) => ({ term, occurrences: count(term) }))
    .filter(({ occurrences }) => occurrences > 0)
    .sort((one, two) => two.occurrences - one.occurrences)
    .slice(0, MAX_CORRECTIONS)
    .map(({ term }) => term);
}
