import type { Filter } from '../documents/filter.ts';
import type { Page, Paged } from './corpus.ts';

export type TaskState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export const taskStates: readonly TaskState[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];

/** The work that one submission of a document asks for. */
export interface IngestionTask {
  readonly id: string;
  readonly documentId: string;
  /** Which submission of the document this is; a later one takes its place. */
  readonly attempt: number;
  readonly state: TaskState;
  /** Higher ones first. */
  readonly priority: number;
  /** How often it was begun. */
  readonly tries: number;
  /** How often the whole process ended while it was worked on. */
  readonly crashes: number;
  /** When it is tried again; null when it may be at once. */
  readonly nextTryAt: string | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** How much there is to do, and how fast it goes. */
export interface Backlog {
  readonly queued: number;
  /** Of those queued, the ones that failed before and wait for their next try. */
  readonly retrying: number;
  readonly running: number;
  readonly failed: number;
  /** Ingestions finished per second over the last minutes; 0 when there were none. */
  readonly ratePerSecond: number;
  /** Seconds until all is done at that rate; null when it cannot be told. */
  readonly etaSeconds: number | null;
}

/**
 * The queue of ingestions. A task is written with its document, in one transaction, and follows its status: a document
 * that is published or given up has no open task, and one that is neither has exactly one.
 */
export interface IngestionQueue {
  get(id: string): Promise<IngestionTask | undefined>;
  /** The task of the document's latest submission. */
  ofDocument(documentId: string): Promise<IngestionTask | undefined>;
  /** Newest first; the filter is on their documents. */
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
   * Takes the next task that is due and counts the try. Those that a process died with come first, and are given out
   * only when `alone`, so that one of them that ends the process again can be told from those beside it.
   */
  take(options: { readonly alone: boolean }): Promise<IngestionTask | undefined>;
  /** When the next task that waits is due. */
  nextDue(): Promise<Date | undefined>;
  /** To be tried again later. Nothing happens to a task that is not running any more. */
  postpone(id: string, options: { readonly reason: string; readonly until: Date }): Promise<void>;
  /** Puts back what somebody had begun or held and does not go on with; the try does not count. */
  release(documentId: string, attempt: number): Promise<void>;
  /** Gives an open task up; its document is `failed` with that reason. False when it was over already. */
  cancel(id: string, reason: string): Promise<boolean>;
  /** Queues failed and cancelled tasks anew whose submission is still their document's latest; returns how many. */
  retry(query: { readonly filter: Filter; readonly taskId?: string }): Promise<number>;
}
