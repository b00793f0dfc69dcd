import type { Document, IngestionStatus, Metadata } from '../documents/document.ts';
import type { BeginOptions, NamedCollection } from '../store/corpus.ts';
import type { ContextEstimate } from './enrich/contextualize-chunks.ts';
import type { ContextSettings, SummarySettings } from './enrich/enrichment-settings.ts';
import type { SplitStrategy } from './split-text.ts';

/** How a document is read and split, docs/contract.md 6.2. Sizes in UTF-16 code units. */
export interface IngestionSettings {
  readonly chunkingStrategy?: SplitStrategy;
  readonly chunkSize?: number;
  readonly chunkOverlap?: number;
  readonly skipSummary?: boolean;
  /** Settings of a summary written by a model. */
  readonly summary?: SummarySettings;
  /**
   * Has a model write a context for each chunk, for search; false turns this off. Undefined keeps the setting of the
   * source's earlier ingestion.
   */
  readonly context?: ContextSettings | false;
  /** File types that are rejected. */
  readonly excludedTypes?: readonly string[];
  /** False extracts the document's graph only on request. */
  readonly automaticExtraction?: boolean;
}

/** Exactly one of `bytes`, `text` and `chunks`. */
export type SubmittedContent =
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      readonly fileName: string;
      readonly mediaType?: string;
      /** SHA-256 of the bytes in hexadecimal, if already computed. */
      readonly contentHash?: string;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chunks'; readonly chunks: readonly string[] };

export interface Submission {
  readonly content: SubmittedContent;
  readonly ownerId: string;
  /** Overrides the identifier derived from the content's name. */
  readonly id?: string;
  readonly title?: string;
  readonly metadata: Metadata;
  /** Empty means the owner's default collection. */
  readonly collectionIds: readonly string[];
  /** Those of `collectionIds` that do not exist: they are created with the document, so a refusal leaves none. */
  readonly newCollections?: readonly NamedCollection[];
  readonly source?: string;
  readonly settings: IngestionSettings;
  /** Replaces an existing document of the same id instead of throwing `conflict`. */
  readonly replace?: boolean;
}

export type Accepted =
  | { readonly kind: 'accepted'; readonly document: Document }
  /** The same bytes exist already, and nothing in the submission requires a second copy. */
  | { readonly kind: 'unchanged' | 'duplicate'; readonly document: Document };

export type IngestEvent =
  | { readonly type: 'status'; readonly status: IngestionStatus }
  | {
      readonly type: 'progress';
      readonly stage: 'augmenting' | 'embedding';
      readonly done: number;
      readonly total: number;
    }
  | { readonly type: 'done'; readonly document: Document }
  | { readonly type: 'failed'; readonly document: Document; readonly error: Error }
  /** A temporary failure; the next attempt is at that time. */
  | { readonly type: 'postponed'; readonly document: Document; readonly error: Error; readonly until: Date }
  /** The ingestion was cancelled, or replaced by a later submission. */
  | { readonly type: 'cancelled'; readonly reason: string };

/** The time of the next attempt after a failure; undefined when the failure is final. */
export type RetryDecision = (error: Error) => Promise<Date | undefined>;

/** Ingests documents. */
export interface Ingestor {
  /**
   * Records the submission durably as `pending`; from here on it is not lost. With `queued` a worker of the queue
   * processes it; otherwise the caller must `run` it, and reports nothing before that with `isAwaited`: a power failure
   * may then undo the submission. Throws `conflict`, `unsupported_type`, `too_large` and `invalid_request`.
   */
  submit(submission: Submission, options?: Pick<BeginOptions, 'queued' | 'isAwaited'>): Promise<Accepted>;
  /**
   * Estimated cost of the contexts; null when the submission does not request contexts. Reads the content and stores
   * nothing.
   */
  estimate(submission: Submission, signal: AbortSignal): Promise<ContextEstimate | null>;
  /** The extracted text of the content. Stores nothing. Throws ServiceError if it cannot be read. */
  readText(submission: Submission, signal: AbortSignal): Promise<string>;
  /**
   * Reads, splits, embeds and publishes a submitted document. Ends with `done`, `failed` or, if `decideRetry` returns a
   * time, `postponed`. Throws on abort, which puts the document back into the queue.
   */
  run(documentId: string, signal: AbortSignal, decideRetry?: RetryDecision): AsyncGenerator<IngestEvent, void>;
}
