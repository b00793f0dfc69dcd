import { type ErrorCode, ServiceError } from '../../../errors.ts';
import { onAbort } from '../../../shared/abort.ts';
import { transferableBuffers } from '../../../shared/transferable-bytes.ts';
import { DeletedConcurrently } from '../../deleted-concurrently.ts';
import { cancelTask, createCancelFlag } from '../operation-watch.ts';
import { keepWorker, takeWorker } from './idle-workers.ts';
import type { SqliteFailure, SqliteMessage, SqliteReply, SqliteTask, SqliteThreadOptions } from './sqlite-messages.ts';

/** One SQLite connection in its own thread, so that queries do not block the event loop. */
export interface SqliteThread {
  /**
   * Performs tasks one after another, in the order given. Throws ServiceError('store_failed') or the task's error.
   * Aborting `signal` ends an operation between two rows with `cancelled`; a plain query runs to its end.
   */
  perform<Result>(task: SqliteTask, signal?: AbortSignal): Promise<Result>;
  /** Finishes queued tasks and closes the connection. */
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts a thread, or takes an idle one. Its first task opens the connection. A thread without tasks does not keep the
 * process alive.
 */
export function startSqliteThread(options: SqliteThreadOptions): SqliteThread {
  const cancelFlag = createCancelFlag();
  const worker = takeWorker();
  const opening: SqliteMessage = { open: { ...options, cancelFlag } };
  worker.postMessage(opening);
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let fatalError: Error | undefined;
  let closing: Promise<void> | undefined;

  const failAll = (cause: unknown) => {
    fatalError ??= new ServiceError(
      'store_failed',
      `The database thread for ${options.path} has stopped; restart the service.`,
      {
        cause,
        publicMessage: 'The database connection was lost; restart the service.',
      },
    );
    for (const { reject } of waiting.values()) reject(fatalError);
    waiting.clear();
  };
  const onExit = (code: number) => failAll(new Error(`Thread ended with code ${code}.`));
  const onReply = (reply: SqliteReply) => {
    const answered = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0 && closing === undefined) worker.unref();
    if ('failure' in reply) answered?.reject(fromFailure(reply.failure, options.path));
    else answered?.resolve(reply.value as never);
  };
  worker.on('error', failAll).on('messageerror', failAll).on('exit', onExit).on('message', onReply);

  // A message listener keeps the process alive unless the worker is unreferenced.
  worker.unref();

  const perform = async <Result>(task: SqliteTask, signal?: AbortSignal): Promise<Result> => {
    const id = ++lastId;
    const stopListening = onAbort(signal, () => cancelTask(cancelFlag, id));
    try {
      return await send<Result>(id, task);
    } finally {
      stopListening();
    }
  };

  const send = <Result>(id: number, task: SqliteTask): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      if (fatalError !== undefined) return reject(fatalError);
      try {
        worker.postMessage({ id, task }, transferListOf(task));
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
      worker.off('error', failAll).off('messageerror', failAll).off('exit', onExit).off('message', onReply);
      keepWorker(worker);
    } catch {
      await worker.terminate();
    }
    onExit(0);
  };

  return {
    perform,
    close() {
      closing ??= end();
      return closing;
    },
  };
}

function transferListOf(task: SqliteTask): ArrayBuffer[] {
  switch (task.kind) {
    case 'query':
      return transferableBuffers(task.parameters);
    case 'transact':
      return transferableBuffers(Object.values(task.args));
    default:
      return [];
  }
}

function fromFailure({ message, serviceCode, error }: SqliteFailure, path: string): ServiceError {
  if (serviceCode !== null) return new ServiceError(serviceCode as ErrorCode, message);
  if (message === 'FOREIGN KEY constraint failed') return new DeletedConcurrently({ cause: error });
  const advice = ADVICE.get(message);
  const reason = advice === undefined ? '; see the service log for the reason.' : `: ${message}. ${advice}`;
  return new ServiceError(
    'store_failed',
    `The operation on database ${path} failed: ${message}.${advice === undefined ? '' : ` ${advice}`}`,
    { cause: error, publicMessage: `The database operation failed${reason}` },
  );
}

/**
 * What to do about SQLite errors that concern the disk rather than the query; errors about queries name tables and
 * columns and are not shown.
 */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['database or disk is full', 'Free some space on the disk of the data folder, then try again.'],
  ['disk I/O error', 'Check the disk of the data folder.'],
  ['database is locked', 'Another program is using it; try again.'],
  ['attempt to write a readonly database', 'Check the access rights of the data folder and of the files in it.'],
  ['database disk image is malformed', 'Run "citewell doctor".'],
]);
