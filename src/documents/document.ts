/** A JSON value as stored in metadata. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type Metadata = { readonly [key: string]: Json };

/** Stages of ingestion, docs/contract.md 6.2. Any stage can end in `failed`. */
export const ingestionStatuses = [
  'pending',
  'parsing',
  'augmenting',
  'embedding',
  'storing',
  'success',
  'enriching',
  'failed',
] as const;
export type IngestionStatus = (typeof ingestionStatuses)[number];

/** Whether a document with this status can be searched; `enriching` follows `success`. */
export const isIngested = (status: IngestionStatus): boolean => status === 'success' || status === 'enriching';

/** Whether no further work on the ingestion is pending. */
export const isIngestionOver = (status: IngestionStatus): boolean => status === 'failed' || isIngested(status);

/** Stages of graph extraction, docs/contract.md 6.2. */
export type ExtractionStatus = 'pending' | 'processing' | 'success' | 'enriched' | 'failed';

/** State of the model-written summary; `none` if the summary is taken from the text. */
export type SummaryStatus = 'none' | 'pending' | 'processing' | 'success' | 'failed';

/** What helps after a failed ingestion: another attempt, other settings of the service first, or only another file. */
export const failureRemedies = ['retry', 'settings', 'file'] as const;
export type FailureRemedy = (typeof failureRemedies)[number];

/** A file or text of the corpus, without its text and chunks. */
export interface Document {
  readonly id: string;
  readonly ownerId: string;
  readonly collectionIds: readonly string[];
  /** Short name of the format: `pdf`, `md`, `txt`… */
  readonly type: string;
  readonly title: string;
  readonly metadata: Metadata;
  readonly version: string;
  /** True if a newer version is visible. */
  readonly isReplaced?: boolean;
  /** Origin: an absolute `file:` or `http(s):` URL; null for uploads and raw text. */
  readonly source: string | null;
  readonly fileName: string;
  readonly mediaType: string;
  readonly sizeInBytes: number;
  /** SHA-256 of the original bytes, lower-case hex. */
  readonly contentHash: string;
  readonly ingestionStatus: IngestionStatus;
  readonly extractionStatus: ExtractionStatus;
  /** Why ingestion failed, for users; null unless `ingestionStatus` is `failed`. */
  readonly failure: string | null;
  /** What helps after the failure; null if unknown, or if there is none. */
  readonly failureRemedy?: FailureRemedy | null;
  readonly ingestionAttempt: number;
  readonly summary: string | null;
  readonly summaryStatus?: SummaryStatus;
  /** The model that wrote the summary; null when it was taken from the text. */
  readonly summaryBy?: string | null;
  /** Why a requested summary by a model is missing. */
  readonly summaryNote?: string | null;
  readonly totalTokens: number;
  /** Length of the extracted text in UTF-16 code units; 0 until parsed. */
  readonly textLength: number;
  readonly chunkCount: number;
  /** When this version became visible; null while none is visible. */
  readonly publishedAt?: string | null;
  /** ISO-8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A page of the extracted text; `start` and `end` are UTF-16 offsets, end exclusive, `number` counts from 1. */
export interface PageSpan {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Start of a section of the extracted text, with its own heading and those above it, outermost first. */
export interface HeadingSpan {
  readonly start: number;
  readonly path: readonly string[];
}

/** Positions of the pages and sections of an extracted text, in order. */
export interface Outline {
  /** Empty for formats without pages. */
  readonly pages: readonly PageSpan[];
  /** Absent or empty when no sections are known. */
  readonly headings?: readonly HeadingSpan[];
}
