import type { Chunk, LegScore, ScoredChunk } from '../documents/chunk.ts';
import type { Filter } from '../documents/filter.ts';
import type { VectorSpaceName } from './vector-index.ts';

/** What could be seen at a time, instead of what can be seen now; ISO-8601, UTC. */
export interface Moment {
  readonly asOf?: string | undefined;
}

/**
 * Words a passage must and must not say, beside the filter: exactly those, in the analyser's terms, one right after the
 * other, in its text or in its title and headings.
 */
export interface Wording {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

interface Worded {
  /** As exact as the filter, and like it before the limit. */
  readonly wording?: Wording | undefined;
}

/** Names as in the contract (r2r-v3.md 4.1). */
export type DistanceMeasure =
  | 'cosine_distance'
  | 'l2_distance'
  | 'max_inner_product'
  | 'l1_distance'
  | 'hamming_distance'
  | 'jaccard_distance';

export interface VectorQuery extends Moment, Worded {
  readonly vector: Float32Array;
  /** The space it is of, as far as the caller knows; the corpus may have left it since. */
  readonly space?: VectorSpaceName | undefined;
  readonly measure: DistanceMeasure;
  readonly filter: Filter;
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Told what the caller should know of how the answer came about, e.g. that the index is being rebuilt. */
  readonly note?: (text: string) => void;
}

export interface TextQuery extends Moment, Worded {
  readonly text: string;
  readonly filter: Filter;
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Told of words that were taken for misspelt, if there are any. */
  readonly corrected?: (corrections: readonly Correction[]) => void;
}

export interface PhraseQuery extends Moment {
  readonly filter: Filter;
  readonly signal?: AbortSignal;
}

export interface PhraseCounts {
  readonly each: readonly number[];
  readonly all: number;
}

/** A word that no passage has, and the terms that were looked for in its place. */
export interface Correction {
  readonly word: string;
  readonly instead: readonly string[];
}

/** A hit with the number the store knows it by, which tells it again in the other leg's ranking. */
export interface FoundChunk extends ScoredChunk {
  readonly key: number;
}

/** A hit by its place; the chunk itself is read when it is shown. */
export interface RankedChunk extends LegScore {
  readonly key: number;
  readonly chunk?: Chunk;
}

export interface RankingQuery extends TextQuery {
  /** So many of the first, which are the likeliest to be shown, come with their chunks. */
  readonly reading: number;
}

/**
 * The two legs of a search over the visible chunks. A filter is exact and acts before the limit.
 * Both return best first, ties by chunk order of insertion, `score` set and the leg's `rank` in `semantic`/`fullText`.
 */
export interface ChunkSearch {
  /** `score` is 1 - distance under the measure. Throws `embedding_mismatch` for a vector of another space. */
  nearest(query: VectorQuery): Promise<FoundChunk[]>;
  /**
   * BM25 over any of the query's terms; `score` in [0, 1), growing with the BM25 sum. A word that nobody wrote counts as
   * those that differ in a letter, if there are any. Empty when no term is known.
   */
  matching(query: TextQuery): Promise<ScoredChunk[]>;
  /** The places that `matching` gives: the quicker way to many hits of which few will be shown. */
  ranking(query: RankingQuery): Promise<RankedChunk[]>;
  /** These chunks, by key, without those that are gone meanwhile. */
  read(keys: readonly number[], signal?: AbortSignal, asOf?: string): Promise<ReadonlyMap<number, Chunk>>;
  /** How many of the passages that pass say each of these, and how many say them all. */
  countSaying?(phrases: readonly string[], query: PhraseQuery): Promise<PhraseCounts>;
  /** Documents of that time that pass, whose version of then is not kept any longer, and cannot be found. */
  countForgotten?(asOf: string, filter: Filter, signal?: AbortSignal): Promise<number>;
}
