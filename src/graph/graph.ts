import type { Metadata } from '../documents/document.ts';

/** Where something is said: a stretch of a chunk's own text, in UTF-16 code units, end exclusive. */
export interface Mention {
  readonly chunkId: string;
  readonly start: number;
  readonly end: number;
}

/** Something that documents speak of, by the name that most of its mentions use. */
export interface Entity {
  readonly name: string;
  /** In lower case: `person`, `organization`, `place`, `date`, `work`, `concept`…; null when it cannot be told. */
  readonly category: string | null;
  readonly description: string;
  readonly metadata: Metadata;
  readonly mentions: readonly Mention[];
}

/** What is said of two entities, by their names. */
export interface Relationship {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly description: string;
  /** Above 0; grows with how often and how clearly it is said. */
  readonly weight: number;
  readonly metadata: Metadata;
  readonly mentions: readonly Mention[];
}

/** What one document says, already merged within it: no two entities share a name. */
export interface ExtractedGraph {
  readonly entities: readonly Entity[];
  readonly relationships: readonly Relationship[];
}

/** A passage to extract from. */
export interface GraphPassage {
  readonly chunkId: string;
  readonly text: string;
  readonly headingPath: readonly string[];
}

/** Port: the passages of one document → its graph. Deterministic adapters give the same graph for the same passages. */
export interface GraphExtractor {
  /** Kept with what it extracted, e.g. `builtin/noun-phrases-v1` or `openai/gpt-…`. */
  readonly name: string;
  extract(
    document: { readonly title: string; readonly passages: readonly GraphPassage[] },
    signal: AbortSignal,
  ): Promise<ExtractedGraph>;
}

/** A group of entities that belong together. */
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
