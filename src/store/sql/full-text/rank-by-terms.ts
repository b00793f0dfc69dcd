import type { Correction } from '../../chunk-search.ts';
import type { QueryTerms } from '../../full-text/analyse.ts';
import { bestKeys, type ScoredKey } from '../search/best-keys.ts';
import type { KeySet } from '../search/key-set.ts';
import { MAX_TERMS } from './choose-terms.ts';
import type { ChunkLengths } from './chunk-lengths.ts';
import type { Vocabulary } from './filter-vocabulary.ts';
import { type Postings, placeOf } from './postings.ts';
import type { TermIndex } from './term-index.ts';

const K1 = 1.2;
const B = 0.75;
/** Weight of a term in a title or heading, relative to one in the text. */
const TITLE_WEIGHT = 2;
/** Weight of a term found by spelling correction. */
const CORRECTED = 0.8;
/** Few allowed chunks are looked up in the postings from the beginning. */
const FEW_CHUNKS = 1_000;
/** Looking up a chunk in postings takes as long as adding up the scores of this many. */
const POSTINGS_PER_LOOKUP = 12;
/** Postings that are read before the most frequent terms are left out; about a second. */
const MAX_POSTINGS = 50_000_000;

export interface TermQuery {
  readonly terms: readonly string[];
  /** Terms that occur more than once in the query, and how often. */
  readonly repeats?: QueryTerms['repeats'] | undefined;
  /** Terms from spelling corrections, which have a lower weight. */
  readonly corrections?: readonly Correction[] | undefined;
  /** Undefined allows every chunk. */
  readonly allowed: KeySet | undefined;
  /** The terms of the allowed chunks, if they are in memory. */
  readonly own?: Vocabulary | undefined;
  readonly limit: number;
}

/**
 * The chunks with the highest BM25 sum over any of the terms.
 *
 * The postings are those of FTS5, and the sums are computed here: this takes less than a quarter of the time of FTS5's
 * own `bm25()`, a filter costs nothing, and terms in more than half of the chunks still have a positive weight, as they
 * should in a corpus about one subject.
 */
export function rankByTerms(index: TermIndex, { limit, ...query }: TermQuery): ScoredKey[] {
  const touched: number[] = [];
  const { scores } = index.chunks;
  try {
    const candidates = addScores(index, { ...query, limit }, touched);
    return bestOf(candidates, scores, limit);
  } finally {
    // Resets the scores for the next search, even if this one was aborted.
    for (const key of touched) scores[key] = 0;
  }
}

function bestOf(keys: readonly number[], scores: Float64Array, limit: number): ScoredKey[] {
  const best = bestKeys(limit);
  for (const key of keys) {
    const score = scores[key] ?? 0;
    if (score > 0) best.offer(key, score);
  }
  return best.take();
}

/**
 * Adds up the scores of the terms, rarest first, and returns the chunks that include the best ones. Once only frequent
 * terms remain that cannot lift other chunks into the result, they are looked up for these chunks alone.
 */
function addScores(index: TermIndex, query: TermQuery, touched: number[]): readonly number[] {
  const { own, allowed } = query;
  const known = knownTerms(index, query);
  let contenders = allowed !== undefined && allowed.size <= FEW_CHUNKS ? allowed.keys : undefined;
  let read = 0;
  for (const [place, { term, count, emphasis }] of known.entries()) {
    const candidates: readonly number[] = contenders ?? touched;
    if (own === undefined && count > candidates.length) {
      contenders = contendersOf(index, { query, candidates, rest: known.slice(place) }) ?? contenders;
    }
    read += own === undefined && index.isInMemory?.(term) !== true ? count : 0;
    if (place > 0 && read > MAX_POSTINGS) break;
    const postings = (own ?? index).postings(term);
    if (postings.keys.length === 0) continue;
    const weight = rarityOf(index, term, own ? undefined : postings) * emphasis;
    addTerm(index, { query, touched, weight, postings, contenders });
  }
  return contenders ?? touched;
}

interface TermScores {
  readonly query: Pick<TermQuery, 'allowed'>;
  readonly touched: number[];
  readonly weight: number;
  readonly postings: Postings;
  /** Chunks whose scores are needed; undefined for all. */
  readonly contenders: readonly number[] | undefined;
}

function addTerm(
  { chunks }: TermIndex,
  { query: { allowed }, touched, weight, postings, contenders }: TermScores,
): void {
  const { scores, lengths, mean } = chunks;
  const { keys, titles, bodies } = postings;
  const add = (key: number, at: number) => {
    const length = lengths[key] ?? -1;
    if (length < 0 || (allowed && !allowed.has(key))) return;
    const score = scores[key] ?? 0;
    if (score === 0) touched.push(key);
    const occurrences = TITLE_WEIGHT * (titles[at] ?? 0) + (bodies[at] ?? 0);
    const saturation = occurrences + K1 * (1 - B + (B * length) / mean);
    scores[key] = score + (weight * occurrences * (K1 + 1)) / saturation;
  };
  if (contenders === undefined || contenders.length * POSTINGS_PER_LOOKUP > keys.length) {
    for (let at = 0; at < keys.length; at++) add(keys[at] ?? 0, at);
    return;
  }
  for (const key of contenders) {
    const at = placeOf(keys, key);
    if (keys[at] === key) add(key, at);
  }
}

interface RemainingTerms {
  readonly query: TermQuery;
  /** All chunks with a score so far that can be among the best. */
  readonly candidates: readonly number[];
  readonly rest: readonly KnownTerm[];
}

/**
 * The chunks that can still be among the best when the remaining terms are added; undefined if that may be any. A term
 * adds less than its weight times `K1 + 1`.
 */
function contendersOf(index: TermIndex, { query, candidates, rest }: RemainingTerms): readonly number[] | undefined {
  const { limit } = query;
  if (index.frequency === undefined || candidates.length < limit) return undefined;
  const { scores } = index.chunks;
  const bound = rest.reduce((sum, { term, emphasis }) => sum + rarityOf(index, term) * emphasis * (K1 + 1), 0);
  // Otherwise, chunks without any of the terms so far could be among the best.
  let better = 0;
  for (const key of candidates) if ((scores[key] ?? 0) > bound) better++;
  if (better < limit) return undefined;
  const last = bestOf(candidates, scores, limit).at(-1)?.score ?? 0;
  return candidates.filter((key) => (scores[key] ?? 0) >= last - bound);
}

/** Weight of a term repeated in the query: saturates at nine times, growing more slowly than the repetitions. */
const emphasisOf = (times: number): number => (9 * times) / (times + 8);

interface KnownTerm {
  readonly term: string;
  /** Occurrences, approximately. */
  readonly count: number;
  readonly emphasis: number;
}

// Rarest first.
function knownTerms(index: TermIndex, { terms, repeats, corrections }: TermQuery): KnownTerm[] {
  const instead = (corrections ?? []).flatMap((each) => each.instead).filter((term) => !terms.includes(term));
  const corrected = new Set(instead);
  const times = new Map(repeats);
  return [...terms, ...corrected]
    .map((term) => ({
      term,
      count: index.count(term),
      emphasis: corrected.has(term) ? CORRECTED : emphasisOf(times.get(term) ?? 1),
    }))
    .filter(({ count }) => count > 0)
    .sort((one, two) => one.count - two.count)
    .slice(0, MAX_TERMS);
}

// `postings` are all postings of the term, if they have been read already.
function rarityOf(index: TermIndex, term: string, postings?: Postings): number {
  const { chunks } = index;
  const frequency = documentFrequency(index, term, postings);
  return Math.log(1 + (chunks.count - frequency + 0.5) / (frequency + 0.5));
}

function documentFrequency(index: TermIndex, term: string, postings: Postings | undefined): number {
  const { chunks } = index;
  const read = () => index.frequency?.(term) ?? countChunks(index.postings(term), chunks);
  const known = chunks.known?.frequencies.get(term);
  if (known !== undefined) return known;
  const frequency = postings === undefined ? read() : countChunks(postings, chunks);
  // Not cached if 0: nothing is found as long as the postings have not been fetched.
  if (frequency > 0) chunks.known?.frequencies.set(term, frequency);
  return frequency;
}

function countChunks({ keys }: Postings, { lengths }: ChunkLengths): number {
  let count = 0;
  for (const key of keys) if ((lengths[key] ?? -1) >= 0) count++;
  return count;
}
