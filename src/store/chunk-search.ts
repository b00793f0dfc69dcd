import type { Chunk, LegScore, ScoredChunk } from '../documents/chunk.ts';
import type { Filter } from '../documents/filter.ts';
import type { VectorSpaceName } from './vector-index.ts';

/** Point in time whose visible state is searched instead of the current one; ISO-8601, UTC. */
export interface AsOf {
  readonly asOf?: string | undefined;
}

/**
 * Phrases a chunk must and must not contain, in addition to the filter: matched as consecutive terms of the analyser,
 * in the chunk's text or in its title and headings.
 */
export interface PhraseFilters {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
}

interface WithPhraseFilters {
  /** Exact, and applied before the limit, like the filter. */
  readonly phraseFilters?: PhraseFilters | undefined;
}

/** Distance measures, named as in the contract (docs/contract.md 4.1). */
export type DistanceMeasure =
  | 'cosine_distance'
  | 'l2_distance'
  | 'max_inner_product'
  | 'l1_distance'
  | 'hamming_distance'
  | 'jaccard_distance';

export interface VectorQuery extends AsOf, WithPhraseFilters {
  readonly vector: Float32Array;
  /** The vector's space, as far as the caller knows; the corpus may have moved to another since. */
  readonly space?: VectorSpaceName | undefined;
  readonly measure: DistanceMeasure;
  readonly filter: Filter;
  readonly limit: number;
  /**
   * Number of candidates first requested from an approximate index; default 50. Queries that differ only in their limit
   * are answered from the same ranking, so that pages neither overlap nor leave gaps.
   */
  readonly firstListLength?: number;
  /** For `nearestRanking`: chunks to read together with the ranking, where that takes no further query. */
  readonly readAhead?: ReadAhead;
  readonly signal?: AbortSignal;
  /** Receives notes for the caller on how the answer was produced, e.g. that the index is being rebuilt. */
  readonly note?: (text: string) => void;
}

/** A request for chunks that will probably be shown: the first of a ranking, and some of another one. */
export interface ReadAhead {
  /** How many of the ranking. */
  readonly first: number;
  /** Keys of the other ranking, called when the chunks are about to be read; undefined if they are not known yet. */
  readonly others: () => readonly number[] | undefined;
  /** Receives the chunks, as `read` returns them. Not called if they were not read. */
  readonly receive: (chunks: ReadonlyMap<number, Chunk>) => void;
}

export interface TextQuery extends AsOf, WithPhraseFilters {
  readonly text: string;
  readonly filter: Filter;
  /** Selects more than `filter`: a word that occurs in a chunk that passes this one is not corrected. */
  readonly readable?: Filter | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Receives the spelling corrections that were applied, if any. */
  readonly corrected?: (corrections: readonly Correction[]) => void;
}

export interface PhraseQuery extends AsOf {
  readonly filter: Filter;
  readonly signal?: AbortSignal;
}

export interface PhraseCounts {
  readonly each: readonly number[];
  readonly all: number;
}

/** A query word found in no chunk, and the terms that were searched in its place. */
export interface Correction {
  readonly word: string;
  readonly instead: readonly string[];
}

/** A hit with its key in the store, which identifies it in the ranking of the other leg. */
export interface FoundChunk extends ScoredChunk {
  readonly key: number;
}

/** A hit by its rank; its chunk is read when it is shown. */
export interface RankedChunk extends LegScore {
  readonly key: number;
}

/**
 * The two legs of hybrid search, vector search and full-text search, over the visible chunks. A filter is exact and
 * applied before the limit. Both return hits best first, ties by insertion order of the chunks, with `score` and the
 * leg's `rank` set in `semantic`/`fullText`. Chunks have their `places`, except in searches as of a point in time.
 */
export interface ChunkSearch {
  /** Reads what the first search after a start would otherwise wait for. */
  prepare?(): Promise<void>;
  /** `score` is 1 - distance under the measure. Throws `embedding_mismatch` for a vector of another space. */
  nearest(query: VectorQuery): Promise<FoundChunk[]>;
  /** The ranking of `nearest` without chunks. */
  nearestRanking(query: VectorQuery): Promise<RankedChunk[]>;
  /**
   * BM25 over any of the query's terms; `score` in [0, 1), increasing with the BM25 sum. An unknown word is replaced by
   * known words that differ in one letter, if there are any. Empty when no term is known.
   */
  matching(query: TextQuery): Promise<ScoredChunk[]>;
  /** The ranking of `matching` without chunks: faster for many hits of which few will be shown. */
  ranking(query: TextQuery): Promise<RankedChunk[]>;
  /** The chunks with these keys, from one state of the corpus; chunks deleted in the meantime are left out. */
  read(keys: readonly number[], signal?: AbortSignal, asOf?: string): Promise<ReadonlyMap<number, Chunk>>;
  /** The stored vectors of these chunks, by key; empty when the corpus has moved to another space. */
  vectorsOf?(
    keys: readonly number[],
    space: VectorSpaceName,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, Float32Array>>;
  /** The number of matching chunks that contain each phrase, and the number that contain all of them. */
  countPhrases?(phrases: readonly string[], query: PhraseQuery): Promise<PhraseCounts>;
  /** The number of matching documents whose version at that time has been pruned, so that search cannot find it. */
  countPrunedVersions?(asOf: string, filter: Filter, signal?: AbortSignal): Promise<number>;
}
