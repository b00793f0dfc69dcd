import { Kysely } from 'kysely';
import { migrate } from './migrate.ts';
import type { Tables } from './schema.ts';
import type { searchOperations } from './search-operations.ts';
import { type Call, sqliteDialect } from './sqlite-dialect.ts';
import { startSqliteThread } from './sqlite-thread.ts';
import { cancelled, createThreadPool, type ThreadPool } from './thread-pool.ts';

/** The embedded database: one connection that writes, some that read beside it and do the search operations. */
export interface Sqlite {
  /**
   * Everything that writes, and reads that must be of one piece with a write. Inside a transaction use the
   * transaction only: the connection is lent to it, and waiting for a second one would be waiting for ever.
   */
  readonly writer: Kysely<Tables>;
  readonly reader: Kysely<Tables>;
  readonly search: { readonly call: Call<typeof searchOperations> };
  /** Waits for what is under way, folds the write-ahead log into the file, and ends the threads. */
  close(): Promise<void>;
}

export interface SqliteOptions {
  readonly path: string;
  /** How many queries can run at the same time. */
  readonly readers?: number;
}

/** Opens the database at `path`, making or migrating it first. Throws ServiceError when it is of a newer version. */
export async function openSqlite({ path, readers = 2 }: SqliteOptions): Promise<Sqlite> {
  const writerPool = createThreadPool([startSqliteThread({ path, readOnly: false })]);
  const threads = Array.from({ length: readers }, () => startSqliteThread({ path, readOnly: true }));
  const readerPool = createThreadPool(threads);
  const writer = new Kysely<Tables>({ dialect: sqliteDialect(writerPool, { readOnly: false }) });
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(readerPool, { readOnly: true }) });
  const close = async () => {
    // Readers first: the log can only be folded in whole when nobody reads.
    await readerPool.close();
    await writerPool.close();
  };
  try {
    await migrate(writer, path);
  } catch (error) {
    await close();
    throw error;
  }
  return { writer, reader, search: { call: callOn(readerPool) }, close };
}

function callOn(pool: ThreadPool): Call<typeof searchOperations> {
  return async (operation, args, signal) => {
    const thread = await pool.acquire(signal);
    const answer = thread.perform<never>({ kind: 'call', operation, args });
    // The thread can not be stopped in the middle; it goes back when it is done, the caller goes on at once.
    const release = () => pool.release(thread);
    answer.then(release, release);
    return signal === undefined ? answer : Promise.race([answer, whenAborted(signal, answer)]);
  };
}

function whenAborted(signal: AbortSignal, settled: Promise<unknown>): Promise<never> {
  return new Promise((_resolve, reject) => {
    const abort = () => reject(cancelled(signal));
    const stopListening = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    settled.then(stopListening, stopListening);
  });
}
