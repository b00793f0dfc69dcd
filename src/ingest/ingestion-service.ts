import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import { ServiceError } from '../errors.ts';
import type { IngestionQueue, IngestionTask } from '../store/ingestion-queue.ts';
import { defaultTryPolicy, type TryPolicy } from './failure-kind.ts';
import { type FollowedEvent, followIngestion } from './follow-ingestion.ts';
import { createIngestionFeed, type IngestionFeed } from './ingestion-feed.ts';
import type { Ingestor } from './ingestor.ts';
import { createQueueWorkers } from './work-queue.ts';

/** Control of background ingestions. */
export interface IngestionService {
  /** Whether submissions are queued by default. */
  readonly queuesByDefault: boolean;
  /** Notifies the workers of new tasks; the first call starts them. */
  wakeUp(): void;
  /** Resolves when no due task is left. */
  idle(): Promise<void>;
  /** Cancels an open task, even one in progress. Throws `conflict` if it has already ended. */
  cancel(task: IngestionTask): Promise<IngestionTask>;
  /** Stops work in this process on a task that another process has cancelled. */
  cancelledElsewhere(taskId: string): void;
  /** Queues a failed or cancelled task again. Throws `conflict` when it cannot be retried. */
  retry(task: IngestionTask): Promise<IngestionTask>;
  /** Retries every failed document that passes the filter; returns their number. */
  retryFailed(filter: Filter): Promise<number>;
  /** Events of the document's latest submission until it ends; `after` is the id of an event. */
  follow(document: Document, after: string | undefined, signal: AbortSignal): AsyncGenerator<FollowedEvent, void>;
  close(): Promise<void>;
}

export interface IngestionServiceParts {
  readonly queue: IngestionQueue;
  readonly ingestor: Pick<Ingestor, 'run'>;
  /** The feed the ingestor publishes to. */
  readonly feed?: IngestionFeed;
  /** Tasks processed concurrently. */
  readonly concurrency?: number;
  readonly policy?: TryPolicy;
  readonly queuesByDefault?: boolean;
  /** Whether this process works on the queue; true by default. */
  readonly takesTasks?: boolean;
  readonly report: (message: string, cause: unknown) => void;
}

/** One less than the ingestor's concurrency, so that synchronous ingestions need not wait for the queue. */
const DEFAULT_CONCURRENCY = 3;

export function createIngestionService(parts: IngestionServiceParts): IngestionService {
  const { queue, ingestor, feed = createIngestionFeed(), report } = parts;
  const { concurrency = DEFAULT_CONCURRENCY, policy = defaultTryPolicy } = parts;
  const workers = createQueueWorkers({ queue, ingestor, concurrency, policy, report });

  const wakeUp = () => {
    if (parts.takesTasks ?? true) workers.wakeUp();
  };

  const again = async (id: string): Promise<IngestionTask> => {
    const task = await queue.get(id);
    if (task === undefined) throw new ServiceError('not_found', `There is no task ${id}.`);
    return task;
  };

  return {
    queuesByDefault: parts.queuesByDefault ?? false,
    wakeUp,
    idle: workers.idle,
    close: workers.close,

    async cancel({ id, documentId, attempt, state }) {
      const reason = 'The ingestion was cancelled.';
      if (!(await queue.cancel(id, reason))) {
        throw new ServiceError('conflict', `Task ${id} is over (${state}); there is nothing to cancel.`);
      }
      await workers.stop(id);
      feed.publish({ documentId, attempt }, { type: 'cancelled', reason });
      return again(id);
    },

    cancelledElsewhere: (taskId) => void workers.stop(taskId),

    async retry({ id, documentId, attempt, state }) {
      if ((await queue.retry({ filter: { kind: 'all' }, taskId: id })) === 0) {
        throw new ServiceError(
          'conflict',
          `Task ${id} is ${state}, or a later submission replaced it; only failed and cancelled tasks can be retried.`,
        );
      }
      feed.publish({ documentId, attempt }, { type: 'status', status: 'pending' });
      wakeUp();
      return again(id);
    },

    async retryFailed(filter) {
      const retried = await queue.retry({ filter });
      if (retried > 0) wakeUp();
      return retried;
    },

    follow: (document, after, signal) => followIngestion({ queue, feed }, { document, after, signal }),
  };
}
