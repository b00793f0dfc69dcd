import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import type { VectorSpaceName } from './vector-index.ts';

/** What a document, or one of its earlier versions, is described by. */
export interface Description {
  readonly of: 'document' | 'version';
  readonly key: number;
  readonly title: string;
  readonly summary: string | null;
}

/** Vectors of descriptions. They go with the title and the summary they are of, and with their space. */
export interface DescriptionVectors {
  /** The next descriptions without a vector in this space; none when it is not the one that is searched. */
  bare(space: VectorSpaceName, most: number): Promise<readonly Description[]>;
  /** Those that say something else by now are passed over. */
  keep(
    space: VectorSpaceName,
    described: readonly { readonly description: Description; readonly vector: Float32Array }[],
  ): Promise<void>;
  /** Of these documents, by identifier, in the space that is searched; those without are left out. */
  vectorsOf(ids: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
}

export interface DescriptionQuery {
  readonly text: string;
  /** Absent: by words alone. Throws `embedding_mismatch` when the corpus has left its space. */
  readonly near?: { readonly vector: Float32Array; readonly space: VectorSpaceName };
  readonly filter: Filter;
  readonly asOf?: string | undefined;
  /** Hits read of each leg. */
  readonly limits: { readonly words: number; readonly meaning: number };
  readonly signal?: AbortSignal | undefined;
}

/** A document by the number that tells it again in the other leg. */
export interface RankedDescription {
  readonly key: number;
  readonly score: number;
}

export interface FoundDescriptions {
  readonly byWords: readonly RankedDescription[];
  readonly byMeaning: readonly RankedDescription[];
  /** All that either leg found. */
  readonly total: number;
}

/** Documents by their titles and summaries. */
export interface DescriptionSearch {
  rank(query: DescriptionQuery): Promise<FoundDescriptions>;
  /** The documents of these numbers; those that are gone are left out. */
  read(keys: readonly number[], asOf: string | undefined): Promise<ReadonlyMap<number, Document>>;
}
