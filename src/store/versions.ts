import type { Chunk, ChunkText } from '../documents/chunk.ts';
import type { Document } from '../documents/document.ts';
import type { ExtractedText, Page, Paged } from './corpus.ts';
import type { Original } from './originals/original.ts';

/** What was removed when a version was pruned. Stored as JSON under these names. */
export interface RetirementReceipt {
  /** Chunks that no other version shared. */
  readonly passages: number;
  readonly vectors: number;
  readonly fullTextEntries: number;
  readonly files: number;
}

/** The state of a document from one publication to the next. */
export interface DocumentVersion {
  /** `v0`, `v1`…, in the order of publication. */
  readonly version: string;
  readonly publishedAt: string;
  /** When the next version replaced it; null for the newest, which is the visible one. */
  readonly replacedAt: string | null;
  readonly title: string;
  readonly type: string;
  readonly fileName: string;
  readonly sizeInBytes: number;
  readonly contentHash: string;
  readonly textLength: number;
  readonly chunkCount: number;
  readonly summary: string | null;
  /** Set when the version has been pruned to this record. */
  readonly retired: { readonly at: string; readonly receipt: RetirementReceipt } | null;
}

/** Selects one version of a document: by its label, or the one visible at a point in time. */
export type VersionChoice = { readonly version: string } | { readonly asOf: string };

/** A chunk that only one of two versions contains. */
export interface ChunkDifference extends ChunkText {
  readonly kind: 'removed' | 'added';
}

export interface VersionDifference {
  readonly from: string;
  readonly to: string;
  /** Number of chunks in both. */
  readonly unchanged: number;
  /** Removed and added chunks in reading order. */
  readonly differences: readonly ChunkDifference[];
}

/**
 * The versions of documents. The caller must first check access to the document: its current collections and owner
 * apply to every version. Unknown or pruned versions are undefined.
 */
export interface DocumentVersions {
  /** Newest first. */
  list(id: string, page: Page): Promise<Paged<DocumentVersion>>;
  /** The document with its fields of that version. */
  document(id: string, choice: VersionChoice): Promise<Document | undefined>;
  bytesOf(id: string, choice: VersionChoice): Promise<Uint8Array | undefined>;
  originalOf(id: string, choice: VersionChoice): Promise<Original | undefined>;
  textOf(id: string, choice: VersionChoice): Promise<ExtractedText | undefined>;
  /** In order. */
  chunksOf(id: string, choice: VersionChoice, page: Page): Promise<Paged<Chunk>>;
  /** Vectors in the current space of a version's chunks, by chunk id. */
  vectorsOf(id: string, choice: VersionChoice, chunkIds: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  diff(id: string, from: string, to: string): Promise<VersionDifference | undefined>;
  /**
   * Publishes the document again in the state of this version, as a new version, with the stored vectors: nothing is
   * parsed or embedded. Throws `not_found`, and `conflict` while the document is being ingested or already has this
   * state.
   */
  restore(id: string, version: string): Promise<Document>;
}
