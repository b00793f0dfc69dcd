import { Kysely } from 'kysely';
import { raceAbort } from '../../../shared/abort.ts';
import type { Database } from '../database.ts';
import type { Tables } from '../schema.ts';
import type { searchOperations } from '../search/search-operations.ts';
import { keepBeforeUpgrade } from '../snapshot-database.ts';
import {
  damageOr,
  defaultHealthCheck,
  type HealthCheckSettings,
  markMade,
  refuseDamaged,
  refuseEmptied,
  watchHealth,
} from '../watch-health.ts';
import { migrate } from './migrate.ts';
import { type Call, sqliteDialect } from './sqlite-dialect.ts';
import { sqliteSql } from './sqlite-sql.ts';
import { startSqliteThread } from './sqlite-thread.ts';
import { cancelled, createThreadPool, type ThreadPool } from './thread-pool.ts';

export interface SqliteOptions {
  readonly path: string;
  /** Number of concurrent queries. */
  readonly readers?: number;
  /** Receives the progress of an upgrade, and damage that is found later or cannot be looked for. */
  readonly report?: (message: string) => void;
  readonly healthCheck?: HealthCheckSettings;
}

/**
 * Opens the database at `path`, creating or migrating it first; a copy is kept of one that is migrated. Throws ServiceError when it was written by a newer
 * version, is damaged, or was emptied.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const { path, readers = 2, report, healthCheck = defaultHealthCheck } = options;
  refuseEmptied(path);
  const writerPool = createThreadPool([startSqliteThread({ path, readOnly: false })]);
  const threads = Array.from({ length: readers }, () => startSqliteThread({ path, readOnly: true }));
  const readerPool = createThreadPool(threads);
  const writer = new Kysely<Tables>({ dialect: sqliteDialect(writerPool, { readOnly: false }) });
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(readerPool, { readOnly: true }) });
  const close = async () => {
    // Readers first: the write-ahead log can be checkpointed completely only without readers.
    await readerPool.close();
    await writerPool.close();
  };
  try {
    await refuseDamaged(writer, path, healthCheck);
    const beforeUpgrade = (lastStep: string) => keepBeforeUpgrade(path, { lastStep, report });
    await migrate(writer, path, { beforeUpgrade, report });
    markMade(path);
  } catch (error) {
    await close();
    throw damageOr(error, path);
  }
  const health = watchHealth(path, { settings: healthCheck, report });
  const closeAll = async () => {
    health.close();
    await close();
  };
  return {
    problem: health.problem,
    writer,
    reader,
    search: { call: callOn(readerPool), dialect: sqliteSql },
    close: closeAll,
  };
}

function callOn(pool: ThreadPool): Call<typeof searchOperations> {
  return async (operation, args, signal) => {
    const thread = await pool.acquire(signal);
    const answer = thread.perform<never>({ kind: 'call', operation, args }, signal);
    // The thread notices the cancellation between two rows and is released then; the caller continues at once.
    const release = () => pool.release(thread);
    answer.then(release, release);
    return raceAbort(answer, signal, cancelled);
  };
}
