import { availableParallelism } from 'node:os';
import { Kysely } from 'kysely';
import { raceAbort } from '../../../shared/abort.ts';
import { refuseIncompleteCopy } from '../copied-store.ts';
import type { Database } from '../database.ts';
import { sizeOf, type Transact, waitsForDisk } from '../documents/ingestion-transactions.ts';
import type { Tables } from '../schema.ts';
import type { searchOperations, singlePassOperations } from '../search/search-operations.ts';
import { keepBeforeUpgrade } from '../snapshot-database.ts';
import {
  defaultHealthCheck,
  explainDamage,
  type HealthCheckSettings,
  markCreated,
  refuseDamaged,
  refuseEmptied,
  watchHealth,
} from '../watch-health.ts';
import { createDirectReader } from './direct-reader.ts';
import { type MigrateOptions, migrate } from './migrate.ts';
import type { fileOperations } from './save-original.ts';
import { type Call, sqliteDialect } from './sqlite-dialect.ts';
import type { Operations } from './sqlite-messages.ts';
import { sqliteSql } from './sqlite-sql.ts';
import { startSqliteThread } from './sqlite-thread.ts';
import { cancelled, createThreadPool, type ThreadPool } from './thread-pool.ts';

export interface SqliteOptions {
  readonly path: string;
  /** Maximum number of concurrent queries; by default one for each processor core, from two to eight. */
  readonly readers?: number;
  /** Receives the progress of an upgrade, damage found later, and the reason if the check for damage fails. */
  readonly report?: (message: string) => void;
  readonly healthCheck?: HealthCheckSettings;
  /** Whether this process only copies the records, so that it may open an incomplete copy. */
  readonly isCopying?: boolean;
  readonly schema?: Pick<MigrateOptions, 'mode' | 'steps'>;
}

/** More threads are started when queries have to wait. */
const READERS_AT_START = 1;
const MAX_READERS = 8;
/** Page cache of all readers together. Four times as much saves a search of 100,000 chunks only 2 % of its CPU time. */
const READERS_CACHE_KB = 32_768;
const MIN_CACHE_KB = 8_192;

const defaultReaders = (): number => Math.min(MAX_READERS, Math.max(2, availableParallelism()));

/**
 * Opens the database at `path`, creating or migrating it first; a copy is kept of a database that is migrated. Throws
 * ServiceError when the database was written by a newer version, is damaged, or was emptied.
 */
export async function openSqlite(options: SqliteOptions): Promise<Database> {
  const {
    path,
    readers = defaultReaders(),
    report,
    healthCheck = defaultHealthCheck,
    isCopying = false,
    schema,
  } = options;
  refuseEmptied(path);
  const writerPool = createThreadPool([startSqliteThread({ path, readOnly: false })]);
  const cacheKilobytes = Math.max(MIN_CACHE_KB, Math.floor(READERS_CACHE_KB / readers));
  const start = () => startSqliteThread({ path, readOnly: true, cacheKilobytes });
  const startedFirst = Array.from({ length: Math.min(readers, READERS_AT_START) }, start);
  const readerPool = createThreadPool(startedFirst, { max: readers, start });
  const writer = new Kysely<Tables>({ dialect: sqliteDialect(writerPool, { readOnly: false }) });
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(readerPool, { readOnly: true }) });
  const direct = createDirectReader({ path });
  const close = async () => {
    // Readers first: the write-ahead log can be checkpointed completely only without readers.
    direct.close();
    await readerPool.close();
    await writerPool.close();
  };
  try {
    await refuseDamaged(writer, path, healthCheck);
    const beforeUpgrade = (lastStep: string) => keepBeforeUpgrade(path, { lastStep, report });
    await migrate(writer, path, { ...schema, beforeUpgrade, report });
    if (!isCopying) await refuseIncompleteCopy(writer, path);
    markCreated(path);
  } catch (error) {
    await close();
    throw explainDamage(error, path);
  }
  const health = watchHealth(path, { settings: healthCheck, report });
  const closeAll = async () => {
    health.close();
    await close();
  };
  const call = callOn<typeof searchOperations & typeof singlePassOperations>(readerPool);
  return {
    problem: health.problem,
    writer,
    transact: transactOn(writerPool),
    reader,
    search: {
      call,
      dialect: sqliteSql,
      direct,
      singlePass: {
        nearest: (query, signal) => call('nearestSinglePass', query, signal),
        rank: (query, signal) => call('rankPacked', query, signal),
      },
    },
    saveOriginal: (original) => callOn<typeof fileOperations>(readerPool)('saveOriginal', original),
    close: closeAll,
  };
}

function transactOn(pool: ThreadPool): Transact {
  return (async (name: string, args: object) => {
    const thread = await pool.acquire();
    const task = {
      kind: 'transact',
      name,
      args,
      waitsForDisk: waitsForDisk(name, args),
      size: sizeOf(name, args),
    } as const;
    const done = thread.perform(task);
    // The thread performs its tasks in order, so the next one may wait there, where small ones share a commit.
    pool.release(thread);
    return done;
  }) as Transact;
}

// Each thread keeps the postings of recent words in memory.
const usePostings: ReadonlySet<PropertyKey> = new Set<
  keyof typeof searchOperations | keyof typeof singlePassOperations
>(['matchingChunks', 'rankChunks', 'rankPacked']);

function callOn<Known extends Operations>(pool: ThreadPool): Call<Known> {
  return async (operation, args, signal) => {
    const thread = await pool.acquire(signal, usePostings.has(operation) ? 'oldest' : 'youngest');
    const answer = thread.perform<never>({ kind: 'call', operation, args }, signal);
    // The thread notices the cancellation between two rows and is released then; the caller continues immediately.
    const release = () => pool.release(thread);
    answer.then(release, release);
    return raceAbort(answer, signal, cancelled);
  };
}
