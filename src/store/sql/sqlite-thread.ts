import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { GoneMeanwhile } from '../gone-meanwhile.ts';
import type { SqliteFailure, SqliteReply, SqliteTask, SqliteThreadOptions } from './sqlite-messages.ts';

/** One SQLite connection in a thread of its own, so that no query stops the event loop. */
export interface SqliteThread {
  /** Tasks are done one after another, in the order given. Throws ServiceError('store_failed') or what the task threw. */
  perform<Result>(task: SqliteTask): Promise<Result>;
  /** Finishes what was given, closes the connection and ends the thread. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

// The worker runs as .ts from the sources and as .js from the package.
const WORKER = new URL(`./sqlite-worker${extname(import.meta.filename)}`, import.meta.url);

/** Starts the thread. The connection is opened by its first task; an idle thread does not keep the process alive. */
export function startSqliteThread(options: SqliteThreadOptions): SqliteThread {
  const worker = new Worker(WORKER, {
    workerData: options,
    name: options.readOnly ? 'sqlite-reader' : 'sqlite-writer',
  });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let death: Error | undefined;
  let closing: Promise<void> | undefined;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  const die = (cause: unknown) => {
    death ??= new ServiceError('store_failed', `The thread of the database ${options.path} has ended; start again.`, {
      cause,
      told: 'The database is not there any more; the service has to be started again.',
    });
    for (const { reject } of waiting.values()) reject(death);
    waiting.clear();
  };
  worker.on('error', die);
  worker.on('messageerror', die);
  worker.once('exit', (code) => die(new Error(`Thread ended with code ${code}.`)));
  worker.on('message', (reply: SqliteReply) => {
    const answered = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0 && closing === undefined) worker.unref();
    if ('failure' in reply) answered?.reject(fromFailure(reply.failure, options.path));
    else answered?.resolve(reply.value as never);
  });

  // Listening for messages keeps the process alive until it is taken back.
  worker.unref();

  const perform = <Result>(task: SqliteTask): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      if (death !== undefined) return reject(death);
      const id = ++lastId;
      try {
        worker.postMessage({ id, task });
      } catch (error) {
        return reject(error instanceof Error ? error : new Error(String(error)));
      }
      waiting.set(id, { resolve, reject });
      worker.ref();
    });

  const end = async () => {
    worker.ref();
    try {
      await perform({ kind: 'close' });
    } catch {
      await worker.terminate();
    }
    await ended;
  };

  return {
    perform,
    close() {
      closing ??= end();
      return closing;
    },
  };
}

function fromFailure({ message, serviceCode, error }: SqliteFailure, path: string): ServiceError {
  if (serviceCode !== null) return new ServiceError(serviceCode as ErrorCode, message);
  if (message === 'FOREIGN KEY constraint failed') return new GoneMeanwhile({ cause: error });
  const reason = STATES.test(message) ? `: ${message}` : '; the log of the service says why';
  return new ServiceError('store_failed', `The database ${path} could not do what was asked: ${message}.`, {
    cause: error,
    told: `The database could not do what was asked${reason}.`,
  });
}

/** What SQLite says of the disk and not of the query, whose tables and columns concern nobody outside. */
const STATES =
  /^(?:database or disk is full|disk I\/O error|database is locked|attempt to write a readonly database|database disk image is malformed)$/;
