import type { Metadata } from './document.ts';

/**
 * A passage of a document. `text` equals the document's extracted text from `start` to `end`
 * (UTF-16 code units, end exclusive), except for chunks that were given ready-made or edited.
 */
export interface Chunk {
  readonly id: string;
  readonly documentId: string;
  readonly ownerId: string;
  readonly collectionIds: readonly string[];
  readonly text: string;
  /** Place in the document, from 0. */
  readonly order: number;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  /** Headings above the passage, outermost first. */
  readonly headingPath: readonly string[];
  /** The version of the document it was read in, and since when that could be seen. */
  readonly version?: string;
  readonly publishedAt?: string | null;
  /** The document's metadata, then title, document_type, version, chunk_order, page_number, then the chunk's own. */
  readonly metadata: Metadata;
}

/** What one leg of a search said about a chunk; kept for `explain`. */
export interface LegScore {
  /** From 1, among the hits of that leg that pass the filter. */
  readonly rank: number;
  readonly score: number;
}

export interface ScoredChunk extends Chunk {
  readonly score: number;
  readonly semantic?: LegScore;
  readonly fullText?: LegScore;
  /** What a reranker said, and the place from 1 that the hit had before. */
  readonly rerank?: { readonly score: number; readonly from: number };
  /** Other passages that say the same and were folded into this one. */
  readonly alsoIn?: readonly { readonly id: string; readonly documentId: string }[];
  /** The passages that this one was put together from, in the order of the document. */
  readonly merged?: readonly string[];
}
