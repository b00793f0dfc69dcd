import type { Correction } from '../../chunk-search.ts';
import { bestKeys, type ScoredKey } from '../search/best-keys.ts';
import type { KeySet } from '../search/key-set.ts';
import type { PassageLengths } from './passage-lengths.ts';
import type { TermIndex } from './term-index.ts';

const K1 = 1.2;
const B = 0.75;
/** A term in a title or heading counts as often as this in the text. */
const TITLE_WEIGHT = 2;
/** What a term counts that was found in place of another. */
const CORRECTED = 0.8;
/** Postings looked at before the commonest terms are left out; some 25 ms. */
const POSTINGS_BUDGET = 300_000;

export interface TermQuery {
  readonly terms: readonly string[];
  /** Terms that stand for a word nobody wrote: they count for less. */
  readonly corrections?: readonly Correction[];
  /** Undefined lets every passage through. */
  readonly allowed: KeySet | undefined;
  readonly limit: number;
}

/**
 * The passages with the highest BM25 sum over any of the terms.
 *
 * The postings are FTS5's, read through `fts5vocab`, and the sums are made here: a quarter of the time of FTS5's own
 * `bm25()`, a filter costs nothing, and terms in more than half of the passages still count for something, which in
 * a corpus about one subject they should.
 */
export function rankByTerms(index: TermIndex, { terms, corrections, allowed, limit }: TermQuery): ScoredKey[] {
  const { passages } = index;
  const { scores } = passages;
  const touched: number[] = [];
  const instead = (corrections ?? []).flatMap((each) => each.instead).filter((term) => !terms.includes(term));
  const corrected = new Set(instead);
  for (const term of tellingTerms(index, [...terms, ...corrected])) {
    const postings = index.postings(term);
    const frequency = countPassages(postings, passages);
    const rarity = Math.log(1 + (passages.count - frequency + 0.5) / (frequency + 0.5));
    const weight = corrected.has(term) ? rarity * CORRECTED : rarity;
    forEachPassage(postings, (key, occurrences) => {
      const length = passages.lengths[key] ?? -1;
      if (length < 0 || (allowed && !allowed.has(key))) return;
      const score = scores[key] ?? 0;
      if (score === 0) touched.push(key);
      const saturation = occurrences + K1 * (1 - B + (B * length) / passages.mean);
      scores[key] = score + (weight * occurrences * (K1 + 1)) / saturation;
    });
  }
  const best = bestKeys(limit);
  for (const key of touched) {
    best.offer(key, scores[key] ?? 0);
    scores[key] = 0;
  }
  return best.take();
}

// Rarest first. Beyond the budget the commonest are dropped: they tell little, and cost the most.
function tellingTerms(index: TermIndex, terms: readonly string[]): string[] {
  const known = terms
    .map((term) => ({ term, count: index.count(term) }))
    .filter(({ count }) => count > 0)
    .sort((one, two) => one.count - two.count);
  let sum = 0;
  return known
    .filter(({ count }, place) => {
      sum += count;
      return place === 0 || sum <= POSTINGS_BUDGET;
    })
    .map(({ term }) => term);
}

function countPassages(postings: readonly number[], { lengths }: PassageLengths): number {
  let count = 0;
  let last = 0;
  for (const posting of postings) {
    const key = Math.abs(posting);
    if (key !== last && (lengths[key] ?? -1) >= 0) count++;
    last = key;
  }
  return count;
}

function forEachPassage(postings: readonly number[], visit: (key: number, occurrences: number) => void): void {
  let last = 0;
  let occurrences = 0;
  for (const posting of postings) {
    const key = Math.abs(posting);
    if (key !== last) {
      if (occurrences > 0) visit(last, occurrences);
      last = key;
      occurrences = 0;
    }
    occurrences += posting < 0 ? TITLE_WEIGHT : 1;
  }
  if (occurrences > 0) visit(last, occurrences);
}

/** A BM25 sum as a score in [0, 1) that grows with it. */
export const toTextScore = (sum: number): number => sum / (sum + HALF_SCORE);
/** The sum that scores one half: about what three matched words of middling rarity come to. */
const HALF_SCORE = 10;
