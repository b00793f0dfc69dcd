import type { Metadata } from '../documents/document.ts';

/** A document whose summary a model is to write. */
export interface SummaryTask {
  readonly documentId: string;
  readonly key: number;
  /** The visible generation when the task was taken; a summary of another one is discarded. */
  readonly generation: number;
  /** Identifies this try if several processes share the database. */
  readonly token?: number;
  readonly title: string;
  /** The extract used until the summary is written. */
  readonly summary: string | null;
  /** Settings of the ingestion. */
  readonly settings: Metadata;
}

/**
 * Pending summaries. Published documents with summary status `pending` are the queue, so that none is lost in a crash.
 */
export interface SummaryRecords {
  /** Returns the tasks an earlier process had started to the queue. */
  requeue(): Promise<void>;
  /** Takes the oldest task. */
  take(): Promise<SummaryTask | undefined>;
  /**
   * The texts of at most `max` of the document's chunks: the first ones, and others at even distances. None if its
   * generation is no longer visible.
   */
  sample(task: SummaryTask, max: number): Promise<readonly string[]>;
  release(task: SummaryTask): Promise<void>;
  /** Saves the summary; all searches use it immediately. False when the document has changed or is gone. */
  keep(task: SummaryTask, summary: { readonly text: string; readonly by: string }): Promise<boolean>;
  /** Keeps the existing summary and records the reason. */
  fail(task: SummaryTask, note: string): Promise<void>;
  backlog(): Promise<{ readonly waiting: number; readonly failed: number }>;
}
