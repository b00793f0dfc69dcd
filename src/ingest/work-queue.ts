import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { Condition } from '../shared/condition.ts';
import type { IngestionQueue, TakenTask } from '../store/ingestion-queue.ts';
import { AttemptTakenOver } from '../store/taken-over.ts';
import { pauseBefore, type TryPolicy } from './failure-kind.ts';
import type { IngestEvent, Ingestor } from './ingestor.ts';

export interface QueueWorkers {
  /** Notifies of new tasks. The first call starts the workers. */
  wakeUp(): void;
  /** Aborts the work on this task, if any, and resolves when it has ended. */
  stop(taskId: string): Promise<void>;
  /** Resolves when no due task is left. */
  idle(): Promise<void>;
  /** Returns running tasks to the queue. */
  close(): Promise<void>;
}

export interface WorkersParts {
  readonly queue: IngestionQueue;
  readonly ingestor: Pick<Ingestor, 'run'>;
  /** Tasks processed concurrently. */
  readonly concurrency: number;
  readonly policy: TryPolicy;
  /** Milliseconds of uninterrupted work after which no task is started as long as one that must run alone is due. */
  readonly aloneAfterMs?: number;
  readonly report: (message: string, cause: unknown) => void;
}

/** Polling interval of the queue, in case a notification was missed. */
const POLL_INTERVAL_MS = 30_000;
const ALONE_AFTER_MS = 60_000;

/**
 * Processes the queue, a few tasks at a time. While attempts fail for a common reason, such as an unavailable embedder,
 * one task at a time probes whether it has recovered, so that the others do not use up their attempts.
 */
export function createQueueWorkers(parts: WorkersParts): QueueWorkers {
  const { queue, concurrency, policy, report, aloneAfterMs = ALONE_AFTER_MS } = parts;
  const closing = new AbortController();
  const running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  const wakeUps = new Condition();
  let idle = Promise.withResolvers<void>();
  let isIdle = true;
  let isRunningAlone = false;
  let lastAloneAt = performance.now();
  let failuresInARow = 0;
  let working: Promise<void> | undefined;

  const wake = () => wakeUps.notify();

  const mayTakeMore = () => !isRunningAlone && running.size < (failuresInARow > 0 ? 1 : concurrency);

  /** Under constant load, lets the running tasks end now and then, so that a task that must run alone gets its turn. */
  function takeNext(): Promise<TakenTask | undefined> {
    const alone = running.size === 0;
    const now = performance.now();
    if (alone) lastAloneAt = now;
    return queue.take({ alone, waits: now - lastAloneAt > aloneAfterMs });
  }

  async function work(): Promise<void> {
    while (!closing.signal.aborted) {
      const wakeUp = wakeUps.next;
      let task: TakenTask | undefined;
      try {
        task = mayTakeMore() ? await takeNext() : undefined;
      } catch (error) {
        report('The queue of ingestions could not be read; it is tried again.', error);
      }
      if (task !== undefined) {
        begin(task);
        continue;
      }
      if (running.size === 0) {
        isIdle = true;
        idle.resolve();
      }
      await waitForNextTask(wakeUp);
    }
  }

  async function waitForNextTask(wakeUp: Promise<void>): Promise<void> {
    const due = running.size === 0 ? await queue.nextDue().catch(() => undefined) : undefined;
    const wait =
      due === undefined ? POLL_INTERVAL_MS : Math.min(POLL_INTERVAL_MS, Math.max(10, due.getTime() - Date.now()));
    const timer = new AbortController();
    const timeout = sleep(wait, undefined, { ref: false, signal: timer.signal }).catch(() => undefined);
    await Promise.race([wakeUp, timeout]);
    timer.abort();
  }

  function begin(task: TakenTask): void {
    const abort = new AbortController();
    isRunningAlone = task.crashes > 0;
    const ended = attempt(task, AbortSignal.any([abort.signal, closing.signal])).finally(() => {
      running.delete(task.id);
      isRunningAlone = false;
      wake();
    });
    running.set(task.id, { abort, ended });
  }

  async function attempt(task: TakenTask, signal: AbortSignal): Promise<void> {
    try {
      const last = await lastOf(parts.ingestor.run(task.documentId, signal, (error) => nextTryAt(task, error)));
      if (last?.type === 'postponed') failuresInARow++;
      else failuresInARow = 0;
    } catch (error) {
      if (signal.aborted || error instanceof AttemptTakenOver) return;
      failuresInARow++;
      report(`The ingestion of document ${task.documentId} ended unexpectedly; it is tried again.`, error);
      await postpone(task, signal);
    }
  }

  /**
   * Postpones a task. Retries until that succeeds, for example while the database restarts, because no other process
   * takes a task that a live process is working on.
   */
  async function postpone(task: TakenTask, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const until = new Date(Date.now() + policy.firstPauseMs);
      try {
        await queue.postpone(task, { reason: 'Something went wrong inside the service.', until });
        return;
      } catch {
        await sleep(policy.firstPauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async function nextTryAt(task: TakenTask, error: Error): Promise<Date | undefined> {
    const pause = pauseBefore(error, { tries: task.tries, policy });
    if (pause === undefined) return undefined;
    const until = new Date(Date.now() + pause);
    await queue.postpone(task, {
      reason: error instanceof ServiceError ? error.publicMessage : error.message,
      until,
    });
    return until;
  }

  return {
    wakeUp() {
      if (closing.signal.aborted) return;
      if (isIdle) idle = Promise.withResolvers();
      isIdle = false;
      working ??= work();
      wake();
    },
    async stop(taskId) {
      const entry = running.get(taskId);
      entry?.abort.abort();
      await entry?.ended;
    },
    async idle() {
      if (!isIdle) await idle.promise;
    },
    async close() {
      closing.abort();
      wake();
      idle.resolve();
      await Promise.all([...running.values()].map(({ ended }) => ended));
      await working;
    },
  };
}

async function lastOf(events: AsyncIterable<IngestEvent>): Promise<IngestEvent | undefined> {
  let last: IngestEvent | undefined;
  for await (const event of events) last = event;
  return last;
}
