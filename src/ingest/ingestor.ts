import type { Document, IngestionStatus, Metadata } from '../documents/document.ts';

/** How one document is to be read and split, r2r-v3.md 6.2. Sizes in UTF-16 code units. */
export interface IngestionSettings {
  readonly chunkSize?: number;
  readonly chunkOverlap?: number;
  readonly skipSummary?: boolean;
}

/** Exactly one of `bytes`, `text` and `chunks`. */
export type SubmittedContent =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly fileName: string; readonly mediaType?: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chunks'; readonly chunks: readonly string[] };

export interface Submission {
  readonly content: SubmittedContent;
  readonly ownerId: string;
  /** Wins over the identifier derived from the content's name. */
  readonly id?: string;
  readonly title?: string;
  readonly metadata: Metadata;
  /** Empty means the owner's default collection. */
  readonly collectionIds: readonly string[];
  readonly source?: string;
  readonly settings: IngestionSettings;
  /** Take the place of an existing document of the same id instead of a conflict. */
  readonly replace?: boolean;
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly document: Document }
  /** The same bytes are there already and nothing in the submission asks for a second copy. */
  | { readonly kind: 'unchanged' | 'duplicate'; readonly document: Document };

export type IngestEvent =
  | { readonly type: 'status'; readonly status: IngestionStatus }
  | { readonly type: 'progress'; readonly stage: 'embedding'; readonly done: number; readonly total: number }
  | { readonly type: 'done'; readonly document: Document }
  | { readonly type: 'failed'; readonly document: Document; readonly error: Error };

/** Takes documents in. */
export interface Ingestor {
  /**
   * Records the submission durably as `pending`; from here on it is not lost. Throws `conflict`, `unsupported_type`,
   * `too_large`, `invalid_request`.
   */
  submit(submission: Submission): Promise<Accepted>;
  /** Reads, splits, embeds and publishes a submitted document. Ends with `done` or `failed`; throws only on abort. */
  run(documentId: string, signal: AbortSignal): AsyncGenerator<IngestEvent, void>;
  /** Finishes what an earlier process left unfinished, one after another; resolves when all are done or failed. */
  resume(signal: AbortSignal): Promise<{ readonly finished: number; readonly failed: number }>;
}
