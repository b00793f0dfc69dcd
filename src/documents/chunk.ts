import type { Metadata } from './document.ts';
import type { Place } from './places.ts';

/** A part of a document's text, before and after it is stored; offsets are into that text. */
export interface ChunkText {
  readonly text: string;
  /** Position in the document, from 0. */
  readonly order: number;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  /** Headings above the chunk, outermost first; in a table the column names come last. */
  readonly headingPath: readonly string[];
}

/**
 * A chunk of a document. `text` equals the document's extracted text from `start` to `end` (UTF-16 code units, end
 * exclusive), except for chunks that were given ready-made or edited.
 */
export interface Chunk extends ChunkText {
  readonly id: string;
  readonly documentId: string;
  readonly ownerId: string;
  readonly collectionIds: readonly string[];
  /**
   * Starts of the pages and sections within the chunk, beginning with the chunk's own start; absent if the chunk is on
   * one page and in one section.
   */
  readonly places?: readonly Place[];
  /** The document version the chunk was read from; `publishedAt` is when that version became visible. */
  readonly version?: string;
  readonly publishedAt?: string | null;
  /** True if a newer version of the document is visible. */
  readonly isReplaced?: boolean;
  /** The document's metadata, then title, document_type, version, chunk_order, page_number, then the chunk's own. */
  readonly metadata: Metadata;
}

/** Result of one search leg for a chunk; used by `explain`. */
export interface LegScore {
  /** From 1, among that leg's hits that pass the filter. */
  readonly rank: number;
  readonly score: number;
}

export interface ScoredChunk extends Chunk {
  readonly score: number;
  readonly semantic?: LegScore;
  readonly fullText?: LegScore;
  /** The reranker's score, and the rank (from 1) before reranking. */
  readonly rerank?: { readonly score: number; readonly from: number };
  /** Near-duplicate chunks that were folded into this one. */
  readonly alsoIn?: readonly { readonly id: string; readonly documentId: string }[];
  /** The chunks this one was merged from, in document order. */
  readonly merged?: readonly string[];
}

/** Short name of the format of the chunk's document: `pdf`, `md`, `txt`… */
export function documentTypeOf({ metadata }: Pick<Chunk, 'metadata'>): string | undefined {
  const type = metadata['document_type'];
  return typeof type === 'string' ? type : undefined;
}
