import type { Document, IngestionStatus, Metadata } from '../documents/document.ts';
import type { ContextSettings, SummarySettings } from './enrich/enrichment-settings.ts';
import type { PlacingEstimate } from './enrich/place-passages.ts';
import type { SplitStrategy } from './split-text.ts';

/** How one document is to be read and split, r2r-v3.md 6.2. Sizes in UTF-16 code units. */
export interface IngestionSettings {
  readonly chunkingStrategy?: SplitStrategy;
  readonly chunkSize?: number;
  readonly chunkOverlap?: number;
  readonly skipSummary?: boolean;
  /** How a model is to summarise it, where one does. */
  readonly summary?: SummarySettings;
  /**
   * Has a model place each passage in the document, for search; false that it is no longer done. With nothing said, a
   * source that is taken in again is treated as before.
   */
  readonly context?: ContextSettings | false;
  /** Types of files that are not to be taken in. */
  readonly excludedTypes?: readonly string[];
  /** False leaves the graph of the document unextracted until someone asks for it. */
  readonly automaticExtraction?: boolean;
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
  | {
      readonly type: 'progress';
      readonly stage: 'augmenting' | 'embedding';
      readonly done: number;
      readonly total: number;
    }
  | { readonly type: 'done'; readonly document: Document }
  | { readonly type: 'failed'; readonly document: Document; readonly error: Error }
  /** It failed for now and is tried again at that time. */
  | { readonly type: 'postponed'; readonly document: Document; readonly error: Error; readonly until: Date }
  /** Somebody gave it up, or a later submission took its place. */
  | { readonly type: 'cancelled'; readonly reason: string };

/** Says of a failure when there is to be another try; undefined when it is final. */
export type Judge = (error: Error) => Promise<Date | undefined>;

/** Takes documents in. */
export interface Ingestor {
  /**
   * Records the submission durably as `pending`; from here on it is not lost. With `queued` it is done by whoever works
   * on the queue, else its caller goes on to `run` it. Throws `conflict`, `unsupported_type`, `too_large`,
   * `invalid_request`.
   */
  submit(submission: Submission, options?: { readonly queued?: boolean }): Promise<Accepted>;
  /**
   * What placing its passages by a model would come to; null when the submission does not ask for that. Reads the
   * content and keeps nothing.
   */
  estimate(submission: Submission, signal: AbortSignal): Promise<PlacingEstimate | null>;
  /**
   * Reads, splits, embeds and publishes a submitted document. Ends with `done`, `failed` or, when the judge says so,
   * `postponed`. Throws on abort, which puts the document back into the queue.
   */
  run(documentId: string, signal: AbortSignal, judge?: Judge): AsyncGenerator<IngestEvent, void>;
}
