import type { Correction } from '../../chunk-search.ts';
import type { QueryTerms } from '../../full-text/analyse.ts';
import { bestKeys, type ScoredKey } from '../search/best-keys.ts';
import type { KeySet } from '../search/key-set.ts';
import { MAX_TERMS } from './choose-terms.ts';
import type { ChunkLengths } from './chunk-lengths.ts';
import type { Vocabulary } from './filter-vocabulary.ts';
import type { TermIndex } from './term-index.ts';

const K1 = 1.2;
const B = 0.75;
/** Weight of a term in a title or heading, relative to one in the text. */
const TITLE_WEIGHT = 2;
/** Weight of a term found by spelling correction. */
const CORRECTED = 0.8;
/** Postings read before the most frequent terms are left out; some 25 ms. */
const POSTINGS_BUDGET = 300_000;

export interface TermQuery {
  readonly terms: readonly string[];
  /** Terms that occur more than once in the query, and how often. */
  readonly repeats?: QueryTerms['repeats'] | undefined;
  /** Terms from spelling corrections, which have a lower weight. */
  readonly corrections?: readonly Correction[] | undefined;
  /** Undefined allows every chunk. */
  readonly allowed: KeySet | undefined;
  /** The terms of the allowed chunks, where they are in memory. */
  readonly own?: Vocabulary | undefined;
  readonly limit: number;
}

/**
 * The chunks with the highest BM25 sum over any of the terms.
 *
 * The postings are read from FTS5 through `fts5vocab`, and the sums are computed here: this takes a quarter of the time
 * of FTS5's own `bm25()`, a filter costs nothing, and terms in more than half of the chunks still have a positive
 * weight, as they should in a corpus about one subject.
 */
export function rankByTerms(index: TermIndex, { limit, ...query }: TermQuery): ScoredKey[] {
  const touched: number[] = [];
  const { scores } = index.chunks;
  try {
    addScores(index, query, touched);
    const best = bestKeys(limit);
    for (const key of touched) best.offer(key, scores[key] ?? 0);
    return best.take();
  } finally {
    // Resets the scores for the next search, also after one that was aborted.
    for (const key of touched) scores[key] = 0;
  }
}

function addScores(
  index: TermIndex,
  { terms, repeats, corrections, allowed, own }: Omit<TermQuery, 'limit'>,
  touched: number[],
): void {
  const { chunks } = index;
  const { scores } = chunks;
  const instead = (corrections ?? []).flatMap((each) => each.instead).filter((term) => !terms.includes(term));
  const corrected = new Set(instead);
  const times = new Map(repeats);
  for (const term of selectiveTerms(index, [...terms, ...corrected])) {
    const postings = (own ?? index).postings(term);
    if (postings.length === 0) continue;
    const frequency = documentFrequency(index, term);
    const rarity = Math.log(1 + (chunks.count - frequency + 0.5) / (frequency + 0.5));
    const emphasis = corrected.has(term) ? CORRECTED : emphasisOf(times.get(term) ?? 1);
    const weight = rarity * emphasis;
    forEachChunk(postings, (key, occurrences) => {
      const length = chunks.lengths[key] ?? -1;
      if (length < 0 || (allowed && !allowed.has(key))) return;
      const score = scores[key] ?? 0;
      if (score === 0) touched.push(key);
      const saturation = occurrences + K1 * (1 - B + (B * length) / chunks.mean);
      scores[key] = score + (weight * occurrences * (K1 + 1)) / saturation;
    });
  }
}

/** Weight of a term repeated in the query: saturates at nine times, growing more slowly than the repetitions. */
const emphasisOf = (times: number): number => (9 * times) / (times + 8);

// Rarest first. Beyond the budget the most frequent terms are dropped: they distinguish little and cost the most.
function selectiveTerms(index: TermIndex, terms: readonly string[]): string[] {
  const known = terms
    .map((term) => ({ term, count: index.count(term) }))
    .filter(({ count }) => count > 0)
    .sort((one, two) => one.count - two.count)
    .slice(0, MAX_TERMS);
  let sum = 0;
  return known
    .filter(({ count }, index) => {
      sum += count;
      return index === 0 || sum <= POSTINGS_BUDGET;
    })
    .map(({ term }) => term);
}

function documentFrequency({ chunks, postings }: TermIndex, term: string): number {
  const count = () => countChunks(postings(term), chunks);
  return chunks.known === undefined ? count() : chunks.known.frequencies.getOrCreate(term, count);
}

function countChunks(postings: readonly number[], { lengths }: ChunkLengths): number {
  let count = 0;
  let last = 0;
  for (const posting of postings) {
    const key = Math.abs(posting);
    if (key !== last && (lengths[key] ?? -1) >= 0) count++;
    last = key;
  }
  return count;
}

function forEachChunk(postings: readonly number[], visit: (key: number, occurrences: number) => void): void {
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
