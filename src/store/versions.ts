import type { Chunk } from '../documents/chunk.ts';
import type { Document } from '../documents/document.ts';
import type { ExtractedText, Page, Paged } from './corpus.ts';

/** What went with a version that was given up. */
export interface RetirementReceipt {
  /** Passages that no other version shared. */
  readonly passages: number;
  readonly vectors: number;
  readonly fullTextEntries: number;
  readonly files: number;
}

/** What a document was from one publication to the next. */
export interface DocumentVersion {
  /** `v0`, `v1`…, in the order of publication. */
  readonly version: string;
  readonly publishedAt: string;
  /** When the next one took its place; null for the newest, which is what can be seen. */
  readonly replacedAt: string | null;
  readonly title: string;
  readonly type: string;
  readonly fileName: string;
  readonly sizeInBytes: number;
  readonly contentHash: string;
  readonly textLength: number;
  readonly chunkCount: number;
  readonly summary: string | null;
  /** Set when only this much of it is kept. */
  readonly retired: { readonly at: string; readonly receipt: RetirementReceipt } | null;
}

/** One version of a document: by its label, or the one that could be seen at a time. */
export type VersionChoice = { readonly version: string } | { readonly asOf: string };

/** A passage that one of two versions has and the other has not. */
export interface PassageDifference {
  readonly kind: 'removed' | 'added';
  readonly text: string;
  readonly order: number;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

export interface VersionDifference {
  readonly from: string;
  readonly to: string;
  /** Passages both have. */
  readonly unchanged: number;
  /** Removed and added ones in the order of the texts, as a reader meets them. */
  readonly differences: readonly PassageDifference[];
}

/**
 * The versions of documents. Who asks has to look first whether the document may be seen: its collections and owner are
 * those of today, in every version. What is not there, or not kept any longer, is undefined.
 */
export interface DocumentVersions {
  /** Newest first. */
  list(id: string, page: Page): Promise<Paged<DocumentVersion>>;
  /** The document as it was described then. */
  document(id: string, choice: VersionChoice): Promise<Document | undefined>;
  bytesOf(id: string, choice: VersionChoice): Promise<Uint8Array | undefined>;
  textOf(id: string, choice: VersionChoice): Promise<ExtractedText | undefined>;
  /** In order. */
  chunksOf(id: string, choice: VersionChoice, page: Page): Promise<Paged<Chunk>>;
  /** Vectors in the current space of the passages of a version, by chunk id. */
  vectorsOf(id: string, choice: VersionChoice, chunkIds: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  diff(id: string, from: string, to: string): Promise<VersionDifference | undefined>;
  /**
   * Publishes the document again as it was in this version, as a new one, with the vectors there are: nothing is read or
   * embedded. Throws `not_found`, and `conflict` while the document is being ingested or when it is so already.
   */
  restore(id: string, version: string): Promise<Document>;
}
