import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import { ServiceError } from '../errors.ts';
import type { IngestionQueue, IngestionTask } from '../store/ingestion-queue.ts';
import { defaultTryPolicy, type TryPolicy } from './failure-kind.ts';
import { type FollowedEvent, followIngestion } from './follow-ingestion.ts';
import { createIngestionFeed, type IngestionFeed } from './ingestion-feed.ts';
import type { Ingestor } from './ingestor.ts';
import { createQueueWorkers } from './work-queue.ts';

/** What can be known and done about ingestions that nobody waits for. */
export interface IngestionDesk extends Pick<IngestionQueue, 'get' | 'ofDocument' | 'list' | 'backlog'> {
  /** Whether submissions that do not say otherwise are queued. */
  readonly queuesByDefault: boolean;
  /** There may be something to do; begins to work on the queue where nobody did. */
  nudge(): void;
  /** Settles when nothing is left to be done that is due now. */
  idle(): Promise<void>;
  /** Gives an open task up, also one that is worked on. Throws `conflict` when it is over. */
  cancel(task: IngestionTask): Promise<IngestionTask>;
  /** Queues a failed or cancelled task anew. Throws `conflict` when there is nothing to be tried again. */
  retry(task: IngestionTask): Promise<IngestionTask>;
  /** The same for every failed document the filter lets through; returns how many. */
  retryFailed(filter: Filter): Promise<number>;
  /** What happens to the document's latest submission, until it is over; `after` is the id of an event. */
  follow(document: Document, after: string | undefined, signal: AbortSignal): AsyncGenerator<FollowedEvent, void>;
  close(): Promise<void>;
}

export interface DeskParts {
  readonly queue: IngestionQueue;
  readonly ingestor: Pick<Ingestor, 'run'>;
  /** The one that the ingestor tells. */
  readonly feed?: IngestionFeed;
  /** Tasks worked on at the same time. */
  readonly places?: number;
  readonly policy?: TryPolicy;
  readonly queuesByDefault?: boolean;
  readonly report: (message: string, cause: unknown) => void;
}

/** One place less than the ingestor has, so that whoever waits for a document need not wait for the queue. */
const DEFAULT_PLACES = 3;

export function createIngestionDesk(parts: DeskParts): IngestionDesk {
  const { queue, ingestor, feed = createIngestionFeed(), report } = parts;
  const { places = DEFAULT_PLACES, policy = defaultTryPolicy } = parts;
  const workers = createQueueWorkers({ queue, ingestor, places, policy, report });

  const again = async (id: string): Promise<IngestionTask> => {
    const task = await queue.get(id);
    if (task === undefined) throw new ServiceError('not_found', `There is no task ${id}.`);
    return task;
  };

  return {
    queuesByDefault: parts.queuesByDefault ?? false,
    get: queue.get,
    ofDocument: queue.ofDocument,
    list: queue.list,
    backlog: queue.backlog,
    nudge: workers.nudge,
    idle: workers.idle,
    close: workers.close,

    async cancel({ id, documentId, attempt, state }) {
      const reason = 'The ingestion was cancelled.';
      if (!(await queue.cancel(id, reason))) {
        throw new ServiceError('conflict', `Task ${id} is over (${state}); there is nothing to cancel.`);
      }
      await workers.stop(id);
      feed.tell({ documentId, attempt }, { type: 'cancelled', reason });
      return again(id);
    },

    async retry({ id, documentId, attempt, state }) {
      if ((await queue.retry({ filter: { kind: 'all' }, taskId: id })) === 0) {
        throw new ServiceError(
          'conflict',
          `Task ${id} is ${state}, or a later submission took its place; only what failed or was cancelled is tried again.`,
        );
      }
      feed.tell({ documentId, attempt }, { type: 'status', status: 'pending' });
      workers.nudge();
      return again(id);
    },

    async retryFailed(filter) {
      const retried = await queue.retry({ filter });
      if (retried > 0) workers.nudge();
      return retried;
    },

    follow: (document, after, signal) => followIngestion({ queue, feed }, { document, after, signal }),
  };
}
