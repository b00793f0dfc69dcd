import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import type { VectorSpaceName } from './vector-index.ts';

/** The title and summary of a document or of one of its earlier versions. */
export interface Description {
  readonly of: 'document' | 'version';
  readonly key: number;
  readonly title: string;
  readonly summary: string | null;
}

/**
 * Vectors of descriptions. They are deleted with the title and summary they were computed from, and with their space.
 */
export interface DescriptionVectors {
  /** The next descriptions without a vector in this space; empty when the space is not the current one. */
  unembedded(space: VectorSpaceName, max: number): Promise<readonly Description[]>;
  /** Saves vectors; descriptions that have changed since are skipped. */
  keep(
    space: VectorSpaceName,
    described: readonly { readonly description: Description; readonly vector: Float32Array }[],
  ): Promise<void>;
  /** Vectors of these documents in the current space, by identifier; documents without one are left out. */
  vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
}

export interface DescriptionQuery {
  readonly text: string;
  /** Absent for full-text search only. Throws `embedding_mismatch` when the corpus has moved to another space. */
  readonly near?: { readonly vector: Float32Array; readonly space: VectorSpaceName };
  readonly filter: Filter;
  readonly asOf?: string | undefined;
  /** Number of hits read from each leg. */
  readonly limits: { readonly words: number; readonly meaning: number };
  readonly signal?: AbortSignal | undefined;
}

/** A document by its key, which also identifies it in the ranking of the other leg. */
export interface RankedDescription {
  readonly key: number;
  readonly score: number;
}

export interface FoundDescriptions {
  readonly byWords: readonly RankedDescription[];
  readonly byMeaning: readonly RankedDescription[];
  /** Number of documents found by either leg. */
  readonly total: number;
}

/** Searches documents by title and summary. */
export interface DescriptionSearch {
  rank(query: DescriptionQuery): Promise<FoundDescriptions>;
  /** The documents with these keys; deleted ones are left out. */
  read(keys: readonly number[], asOf: string | undefined): Promise<ReadonlyMap<number, Document>>;
}
