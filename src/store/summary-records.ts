import type { Metadata } from '../documents/document.ts';

/** A document whose summary a model is to write. */
export interface SummaryTask {
  readonly documentId: string;
  readonly key: number;
  /** What could be seen when the task was taken; of another generation it is not kept. */
  readonly generation: number;
  readonly title: string;
  /** The extract that stands there meanwhile. */
  readonly summary: string | null;
  /** Settings of the ingestion. */
  readonly settings: Metadata;
}

/**
 * Summaries that models are to write. A published document whose summary is `pending` is the queue, so that nothing is
 * forgotten whatever happens.
 */
export interface SummaryRecords {
  /** Puts back what an earlier process had in hand. */
  requeue(): Promise<void>;
  /** Takes the next one, oldest first. */
  take(): Promise<SummaryTask | undefined>;
  putBack(task: SummaryTask): Promise<void>;
  /** Makes it what the document is described by, for every search at once. False when the document is another, or gone. */
  keep(task: SummaryTask, summary: { readonly text: string; readonly by: string }): Promise<boolean>;
  /** Leaves what stands there, and writes down why. */
  fail(task: SummaryTask, note: string): Promise<void>;
  backlog(): Promise<{ readonly waiting: number; readonly failed: number }>;
}
