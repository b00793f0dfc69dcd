import { ServiceError } from '../../../errors.ts';
import { onAbort } from '../../../shared/abort.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/** A pool of threads, each lent to one borrower at a time, in FIFO order. */
export interface ThreadPool {
  /** Of the threads that are idle, lends the one of this age. */
  acquire(signal?: AbortSignal, age?: ThreadAge): Promise<SqliteThread>;
  release(thread: SqliteThread): void;
  close(): Promise<void>;
}

/** Borrowers of one kind that ask for the same age mostly get the same thread, which has cached what they need. */
export type ThreadAge = 'oldest' | 'youngest';

interface Borrower {
  readonly resolve: (thread: SqliteThread) => void;
  readonly reject: (error: Error) => void;
}

/** Threads that a pool starts when a borrower has waited for some time. */
export interface MoreThreads {
  /** Maximum number of threads, including those the pool began with. */
  readonly max: number;
  start(): SqliteThread;
  /** How long borrowers wait before a thread is started; by default longer than most queries take. */
  readonly patienceMs?: number;
}

/**
 * A thread takes 60 ms of processor time to start, and then warms its own code and caches. While queries are short and
 * rarely concurrent, waiting for the first one is faster.
 */
const PATIENCE_MS = 30;

export function createThreadPool(first: readonly SqliteThread[], more?: MoreThreads): ThreadPool {
  const threads = [...first];
  // In the order in which they were started.
  let idle: readonly SqliteThread[] = threads.slice();
  const queue = new Set<Borrower>();
  let closed = false;
  let impatient: NodeJS.Timeout | undefined;

  const startLater = () => {
    if (more === undefined || threads.length >= more.max || impatient !== undefined) return;
    impatient = setTimeout(() => {
      impatient = undefined;
      if (closed || queue.size === 0) return;
      const started = more.start();
      threads.push(started);
      release(started);
      if (queue.size > 0) startLater();
    }, more.patienceMs ?? PATIENCE_MS).unref();
  };

  const release = (thread: SqliteThread) => {
    const [next] = queue;
    if (next === undefined) {
      idle = threads.filter((each) => each === thread || idle.includes(each));
      return;
    }
    queue.delete(next);
    next.resolve(thread);
  };
  const closedError = () => new ServiceError('store_failed', 'The database is closed.');

  return {
    acquire(signal, age = 'youngest') {
      if (closed) return Promise.reject(closedError());
      if (signal?.aborted) return Promise.reject(cancelled(signal));
      const thread = idle.at(age === 'oldest' ? 0 : -1);
      if (thread !== undefined) {
        idle = idle.filter((each) => each !== thread);
        return Promise.resolve(thread);
      }
      startLater();
      return new Promise((resolve, reject) => {
        const leave = () => {
          queue.delete(borrower);
          reject(signal === undefined ? closedError() : cancelled(signal));
        };
        const borrower: Borrower = {
          resolve: (thread) => {
            stopListening();
            resolve(thread);
          },
          reject: (error) => {
            stopListening();
            reject(error);
          },
        };
        queue.add(borrower);
        const stopListening = onAbort(signal, leave);
      });
    },

    release,

    async close() {
      closed = true;
      clearTimeout(impatient);
      for (const borrower of queue) borrower.reject(closedError());
      queue.clear();
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** The error of a caller whose signal was aborted while waiting. */
export function cancelled(signal: AbortSignal): ServiceError {
  return new ServiceError('cancelled', 'The database query was cancelled.', { cause: signal.reason });
}
