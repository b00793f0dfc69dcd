import type { Metadata } from '../documents/document.ts';

/** A range of a chunk's own text, in UTF-16 code units, end exclusive. */
export interface Mention {
  readonly chunkId: string;
  readonly start: number;
  readonly end: number;
}

/** An entity mentioned in documents, under its most frequent name. */
export interface Entity {
  readonly name: string;
  /** In lower case: `person`, `organization`, `place`, `date`, `work`, `concept`…; null when unknown. */
  readonly category: string | null;
  readonly description: string;
  readonly metadata: Metadata;
  readonly mentions: readonly Mention[];
}

/** A relationship between two entities, referred to by name. */
export interface Relationship {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly description: string;
  /** Above 0; grows with frequency and explicitness. */
  readonly weight: number;
  readonly metadata: Metadata;
  readonly mentions: readonly Mention[];
}

/** The graph of one document, already merged: no two entities share a name. */
export interface ExtractedGraph {
  readonly entities: readonly Entity[];
  readonly relationships: readonly Relationship[];
}

/** A chunk to extract from. */
export interface GraphChunk {
  readonly chunkId: string;
  readonly text: string;
  readonly headingPath: readonly string[];
}

export const BUILT_IN_EXTRACTOR = 'builtin/noun-phrases-v1';

/** Port: the chunks of one document → its graph. Deterministic adapters give the same graph for the same chunks. */
export interface GraphExtractor {
  /** Stored with its results, e.g. `builtin/noun-phrases-v1` or `openai/gpt-…`. */
  readonly name: string;
  extract(
    document: { readonly title: string; readonly chunks: readonly GraphChunk[] },
    signal: AbortSignal,
  ): Promise<ExtractedGraph>;
}

/** A group of related entities. */
export interface Community {
  readonly name: string;
  readonly summary: string;
  readonly findings: readonly string[];
  /** 1 to 10. */
  readonly rating: number;
  readonly ratingExplanation: string;
  /** 0 for the coarsest. */
  readonly level: number;
  /** Names of its entities, the most central first. */
  readonly members: readonly string[];
}
