import type { Correction, RankedChunk } from '../../chunk-search.ts';
import type { QueryTerms } from '../../full-text/analyse.ts';
import { toTextScore } from '../../full-text/text-score.ts';
import type { KeySet } from '../search/key-set.ts';
import type { PackedHits } from '../search/packed-hits.ts';
import { type AllowedChunks, correctWords } from './correct-words.ts';
import { rankByTerms } from './rank-by-terms.ts';
import type { TermIndex } from './term-index.ts';

/** The other fields are from `readQueryTerms`. */
export interface WordQuery extends QueryTerms {
  readonly limit: number;
}

export interface Ranking<Hit> {
  readonly hits: Hit[];
  readonly corrections: readonly Correction[];
}

/** A ranking that is copied between threads faster. */
export interface PackedRanking {
  /** Keys and scores. */
  readonly best: PackedHits;
  readonly corrections: readonly Correction[];
}

/** Ranks the allowed chunks of an index, after correcting the spelling of words that occur in no readable chunk. */
export function rankWithin(
  index: TermIndex,
  { limit, ...query }: WordQuery,
  within: AllowedChunks,
): Ranking<RankedChunk> {
  const { allowed } = within;
  const corrections = correctWords(index, query.words, within);
  const own = within.own?.();
  const terms = dropIdentifierParts(own ? { ...index, ...own } : index, query, allowed);
  const found = rankByTerms(index, { terms, repeats: query.repeats, corrections, allowed, own, limit });
  const hits = found.map(({ key, score: sum }, index) => ({ key, rank: index + 1, score: toTextScore(sum) }));
  return { hits, corrections };
}

/**
 * The terms to search for, without the parts of identifiers that some chunk contains as a whole: `file_size` then finds
 * chunks that name `file_size`, not everything about files. Only chunks that pass the filter count.
 */
function dropIdentifierParts(
  index: TermIndex,
  { terms, identifiers }: Pick<QueryTerms, 'terms' | 'identifiers'>,
  allowed: KeySet | undefined,
): readonly string[] {
  const kept = new Set(identifiers.map(([whole]) => whole));
  const dropped = identifiers.flatMap(([whole, parts]) => (isFound(index, whole, allowed) ? parts : []));
  const parts = new Set(dropped.filter((term) => !kept.has(term)));
  return parts.size === 0 ? terms : terms.filter((term) => !parts.has(term));
}

const isFound = ({ chunks, postings }: TermIndex, term: string, allowed: KeySet | undefined): boolean =>
  postings(term).keys.some((key) => (chunks.lengths[key] ?? -1) >= 0 && (allowed?.has(key) ?? true));

export function packRanking({ hits, corrections }: Ranking<RankedChunk>): PackedRanking {
  const [keys, values] = [new Float64Array(hits.length), new Float64Array(hits.length)];
  // `Float64Array.from` would take a tenth of the time of a ranking.
  for (const [place, { key, score }] of hits.entries()) {
    keys[place] = key;
    values[place] = score;
  }
  return { best: { keys, values }, corrections };
}
