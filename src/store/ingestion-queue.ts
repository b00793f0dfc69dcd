import type { Filter } from '../documents/filter.ts';
import type { Page, Paged } from './corpus.ts';
import type { Attempt } from './taken-over.ts';

export type TaskState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export const taskStates: readonly TaskState[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];

/** The processing task of one submission of a document. */
export interface IngestionTask {
  readonly id: string;
  readonly documentId: string;
  /** Number of the submission; a later submission of the document replaces it. */
  readonly attempt: number;
  readonly state: TaskState;
  /** Tasks with higher values are processed first. */
  readonly priority: number;
  /** Number of attempts. */
  readonly tries: number;
  /** Number of times the whole process ended while this task was running. */
  readonly crashes: number;
  /** Time of the next attempt; null when it may start immediately. */
  readonly nextTryAt: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** A task that was taken. */
export interface TakenTask extends IngestionTask {
  /** Distinguishes this try from later ones if several processes share the database. */
  readonly token?: number;
}

/** Size of the queue and its throughput. */
export interface Backlog {
  readonly queued: number;
  /** Queued tasks that failed before and wait for their next attempt. */
  readonly retrying: number;
  readonly running: number;
  readonly failed: number;
  /** Age of the oldest queued task; 0 if none is queued. */
  readonly oldestSeconds: number;
  /** Completed ingestions per second over the last minutes; 0 when there were none. */
  readonly ratePerSecond: number;
  /** Estimated seconds until the queue is empty; null when it cannot be estimated. */
  readonly etaSeconds: number | null;
}

/**
 * The queue of ingestions. A task is written with its document, in one transaction, and follows its status: a document
 * that is published or failed has no open task, and any other has exactly one.
 */
export interface IngestionQueue {
  get(id: string): Promise<IngestionTask | undefined>;
  /** The task of the document's latest submission. */
  ofDocument(documentId: string): Promise<IngestionTask | undefined>;
  /** Newest first; the filter applies to their documents. */
  list(
    query: {
      readonly filter: Filter;
      readonly states?: readonly TaskState[];
      readonly documentIds?: readonly string[];
    },
    page: Page,
  ): Promise<Paged<IngestionTask>>;
  backlog(filter?: Filter): Promise<Backlog>;

  /**
   * Takes the next due task and counts the attempt. A task during which a process crashed is returned only if `alone`,
   * and before all others, so that a task that crashes the process again can be identified. Without `alone`, such tasks
   * are skipped; with `waits`, no task is returned while one of them is due.
   */
  take(options: { readonly alone: boolean; readonly waits?: boolean }): Promise<TakenTask | undefined>;
  /** When the next waiting task is due. */
  nextDue(): Promise<Date | undefined>;
  /** Schedules a later attempt. Does nothing if the task is no longer running or has been taken again since. */
  postpone(
    task: Pick<TakenTask, 'id' | 'token'>,
    options: { readonly reason: string; readonly until: Date },
  ): Promise<void>;
  /**
   * The current try of this process at the submission, to pass to its writes. Throws `AttemptTakenOver` if another process has
   * the task.
   */
  hold(documentId: string, attempt: number): Promise<Attempt>;
  /** Returns a started or held task to the queue without counting the attempt, unless another process has it. */
  release(documentId: string, attempt: Attempt): Promise<void>;
  /** Cancels an open task; its document is `failed` with that reason. False when the task had already ended. */
  cancel(id: string, reason: string): Promise<boolean>;
  /**
   * Queues failed and cancelled tasks again whose submission is still their document's latest; returns their number.
   */
  retry(query: { readonly filter: Filter; readonly taskId?: string }): Promise<number>;
}
