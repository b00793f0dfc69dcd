import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';

/** Result of a round of background work; `waitMs` if tasks are waiting that cannot be started before then. */
export type Round = 'worked' | 'empty' | { readonly waitMs: number };

export interface LeasedQueueParts {
  /** Requeues the tasks of a process that has ended. Called before the first task is taken. */
  readonly requeue: () => Promise<void>;
  readonly countWaiting: () => Promise<number>;
  /** Takes and finishes one or a few tasks in the background. */
  readonly round: (signal: AbortSignal) => Promise<Round>;
  /** Called in the background when the queue is empty. */
  readonly onIdle?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly changes: { subscribe(listener: () => void): () => void };
  /** Receives the error that stopped the background work, which restarts at the next change or after `retryMs`. */
  readonly onFailure: (error: unknown) => void;
  readonly retryMs?: number;
}

export interface Progress {
  /** Number of tasks done so far, and the expected total. */
  readonly done: number;
  readonly total: number;
}

/**
 * Works off stored tasks, each leased by one worker at a time: in the background, from `start` on and after every
 * change, or by a caller that waits for them.
 */
export interface LeasedQueue {
  /** Settles when tasks can be taken. */
  ready(): Promise<void>;
  /** Finishes tasks until `next` returns undefined, because none is left. */
  drain<Finished extends object>(next: () => Promise<Finished | undefined>): AsyncGenerator<Finished & Progress, void>;
  start(): void;
  readonly isStarted: boolean;
  /** Makes the background worker look for tasks once, even before `start`. */
  wake(): void;
  /** Calls `requeue` again before the next task is taken, because a task may not have been put back. */
  requeueAgain(): void;
  /** Aborted by `close`. */
  readonly stopping: AbortSignal;
  close(): Promise<void>;
}

const RETRY_MS = 30_000;

export function createLeasedQueue(parts: LeasedQueueParts): LeasedQueue {
  const { countWaiting, round, onIdle, changes, onFailure, retryMs = RETRY_MS } = parts;
  const stopping = new AbortController();
  let isStarted = false;
  let isWanted = false;
  let background: Promise<void> | undefined;
  let requeued: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let unsubscribe = () => {};

  async function workInBackground(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      isWanted = false;
      const outcome = await round(signal);
      if (outcome === 'worked') continue;
      if (outcome !== 'empty') {
        await sleep(outcome.waitMs, undefined, { signal });
        continue;
      }
      await onIdle?.(signal);
      if (!isWanted) return;
    }
  }

  function requeueAgain(): void {
    requeued = undefined;
  }

  function wake(): void {
    isWanted = true;
    if (stopping.signal.aborted || background !== undefined) return;
    clearTimeout(retry);
    background = workInBackground(stopping.signal)
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return;
        onFailure(error);
        requeueAgain();
        retry = setTimeout(wake, retryMs).unref();
      })
      .finally(() => {
        background = undefined;
        if (isWanted) wake();
      });
  }

  return {
    ready() {
      requeued ??= parts.requeue().catch((error: unknown) => {
        // Retried at the next change, since the database may only be restarting.
        requeued = undefined;
        throw error;
      });
      return requeued;
    },
    async *drain(next) {
      for (let done = 1; ; done++) {
        const waiting = await countWaiting();
        const finished = await next();
        if (finished === undefined) return;
        yield { ...finished, done, total: done + Math.max(0, waiting - 1) };
      }
    },
    start() {
      isStarted = true;
      unsubscribe = changes.subscribe(wake);
      wake();
    },
    get isStarted() {
      return isStarted;
    },
    wake,
    requeueAgain,
    stopping: stopping.signal,
    async close() {
      unsubscribe();
      isWanted = false;
      clearTimeout(retry);
      stopping.abort(new ServiceError('cancelled', 'The service is stopping.'));
      await background;
    },
  };
}
