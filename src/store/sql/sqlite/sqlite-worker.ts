import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isMainThread, type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { ServiceError } from '../../../errors.ts';
import { LruMap } from '../../../shared/lru-map.ts';
import { returnMemoryAtRest } from '../../../shared/return-memory.ts';
import { freeBytes } from '../../../shared/transferable-bytes.ts';
import { analyseForIndex } from '../../full-text/analyse.ts';
import type { Transact } from '../documents/ingestion-transactions.ts';
import { watchTask } from '../operation-watch.ts';
import { freeCaches } from '../search/read-snapshot.ts';
import { searchOperations, singlePassOperations } from '../search/search-operations.ts';
import { codingOf } from '../vector-codes/coding-of.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { INCREMENTAL_VACUUM, pragmaNumber } from './pragmas.ts';
import { fileOperations } from './save-original.ts';
import {
  asSavepoint,
  isTransaction,
  type Outcome,
  performTogether,
  type TransactRequest,
  takeSharing,
} from './shared-commits.ts';
import type {
  Operations,
  SqliteConnection,
  SqliteFailure,
  SqliteMessage,
  SqliteReply,
  SqliteRequest,
  SqliteRows,
  SqliteTask,
} from './sqlite-messages.ts';

const STATEMENTS_KEPT = 256;
/** Of the writer. Ingestion is as fast as with 64 MB, which the cache takes once the database is that large. */
const DEFAULT_CACHE_KB = 16_384;
/** Two connections write only while one of them migrates or repairs; neither locks the file for long. */
const BUSY_TIMEOUT_MS = 10_000;

const operations: Operations = { ...searchOperations, ...singlePassOperations, ...fileOperations };

/** Runs tasks on one connection, which the first task opens. */
function createConnection(options: SqliteConnection) {
  let database: DatabaseSync | undefined;
  let transactions: Transact | undefined;
  let members: Transact | undefined;
  const statements = new LruMap<string, StatementSync>({ max: STATEMENTS_KEPT });

  const open = (): DatabaseSync => {
    if (database !== undefined) return database;
    database = new DatabaseSync(options.path, { readOnly: options.readOnly, timeout: BUSY_TIMEOUT_MS });
    if (!options.readOnly) {
      // Must come first, because it takes effect only before any table exists. Setting it again would wait for the disk.
      if (pragmaNumber(database, 'auto_vacuum') !== INCREMENTAL_VACUUM)
        database.exec('pragma auto_vacuum = incremental');
      database.exec('pragma journal_mode = wal; pragma synchronous = full');
      registerTermFunctions(database);
      registerVectorFunction(database);
    }
    database.exec('pragma foreign_keys = on; pragma temp_store = memory');
    database.exec(`pragma cache_size = -${options.cacheKilobytes ?? DEFAULT_CACHE_KB}`);
    return database;
  };

  const prepare = (sql: string): StatementSync => statements.getOrCreate(sql, () => open().prepare(sql));

  const query = (task: SqliteTask & { kind: 'query' }): SqliteRows => {
    // Not `run`, whose result holds the last row number of the connection: see below.
    if (task.begin !== undefined) open().exec(task.begin);
    const statement = prepare(task.sql);
    // Kysely binds booleans, which SQLite has no type for.
    const parameters = task.parameters.map((value: unknown) => (typeof value === 'boolean' ? Number(value) : value));
    if (statement.columns().length > 0) {
      return { rows: statement.all(...(parameters as typeof task.parameters)), changes: 0, lastInsertRowid: 0n };
    }
    // Row numbers of the full-text index exceed 2^53, and Node 26 refuses to return those as numbers.
    statement.setReadBigInts(true);
    try {
      const { changes, lastInsertRowid } = statement.run(...(parameters as typeof task.parameters));
      return { rows: [], changes: Number(changes), lastInsertRowid: BigInt(lastInsertRowid) };
    } finally {
      releaseLargeParameters(statement, parameters);
    }
  };

  const close = (): void => {
    statements.clear();
    if (database === undefined) return;
    if (!options.readOnly) {
      returnFreePages(database);
      database.exec('pragma optimize; pragma wal_checkpoint(truncate)');
    }
    database.close();
    database = undefined;
  };

  const transact = async ({ name, args, waitsForDisk }: SqliteTask & { kind: 'transact' }): Promise<unknown> => {
    // Imported only when a document is ingested: it loads the query builder, which other threads do not need.
    const { ownTransactions } = await import('./own-transactions.ts');
    transactions ??= ownTransactions((task) => perform({ id: 0, task }));
    const own = transactions;
    return withSynchronous(waitsForDisk, () => own(name as never, args as never));
  };

  const transactTogether = async (requests: readonly TransactRequest[]): Promise<Outcome[]> => {
    const { ownTransactions } = await import('./own-transactions.ts');
    members ??= ownTransactions(asSavepoint(open(), (task) => perform({ id: 0, task })));
    const within = members;
    const waitsForDisk = requests.some(({ task }) => task.waitsForDisk);
    return withSynchronous(waitsForDisk, () => performTogether(open(), requests, within));
  };

  /** Runs a transaction that is on disk at its end, or only later. */
  const withSynchronous = async <Result>(waitsForDisk: boolean, run: () => Promise<Result>): Promise<Result> => {
    if (waitsForDisk) return run();
    open().exec('pragma synchronous = normal');
    try {
      return await run();
    } finally {
      open().exec('pragma synchronous = full');
    }
  };

  const perform = ({ id, task }: SqliteRequest): unknown => {
    switch (task.kind) {
      case 'query':
        return query(task);
      case 'transact':
        return transact(task);
      case 'call': {
        const operation = operations[task.operation];
        if (operation === undefined) throw new Error(`There is no database operation named "${task.operation}".`);
        return operation(open(), task.args as never, watchTask(options.cancelFlag, id));
      }
      case 'close':
        return close();
    }
  };
  return {
    perform,
    transactTogether,
    /** Frees the page cache and other memory that the next task can fill again. */
    shrink() {
      try {
        if (database === undefined) return;
        freeCaches(database);
        database.exec('pragma shrink_memory');
      } catch {
        // The next task reports a connection that no longer works.
      }
    },
  };
}

const LARGE_PARAMETER = 1_000_000;

/** A statement keeps copies of its last parameters, which may be a file of hundreds of megabytes. */
function releaseLargeParameters(statement: StatementSync, parameters: readonly unknown[]): void {
  const large = parameters.filter(
    (value): value is Uint8Array => value instanceof Uint8Array && value.byteLength > LARGE_PARAMETER,
  );
  if (large.length === 0) return;
  try {
    // There is no call that clears bindings. Binding clears the old ones first, then fails: a symbol cannot be bound.
    statement.run(Symbol('none') as never);
  } catch {
    // As intended: nothing was run.
  }
  for (const bytes of large) freeBytes(bytes);
}

/** Some 64 MB in pages of 4 kB, which fits the time a process has on shutdown. */
const MAX_PAGES_RETURNED = 16_384;

/** Shrinks the file when a good part of it is free; new documents reuse the rest. */
function returnFreePages(database: DatabaseSync): void {
  const free = pragmaNumber(database, 'freelist_count');
  if (free < pragmaNumber(database, 'page_count') / 4) return;
  try {
    // Each row it returns has freed a page; `run` would free only one.
    database.prepare(`pragma incremental_vacuum(${Math.min(free, MAX_PAGES_RETURNED)})`).all();
  } catch {
    // A full disk or active readers must not prevent closing.
  }
}

const MAX_DEPTH = 4;

/** The buffers inside a result. This thread no longer uses them, so they can be transferred instead of copied. */
function buffersIn(value: unknown, found: Set<ArrayBuffer> = new Set(), depth = 0): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    // A view into a larger buffer may be one of several, so it is copied.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength) found.add(buffer);
  } else if (Array.isArray(value) && depth < MAX_DEPTH) {
    for (const item of value) if (typeof item === 'object') buffersIn(item, found, depth + 1);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const item of Object.values(value)) if (typeof item === 'object') buffersIn(item, found, depth + 1);
  }
  return found;
}

function toFailure(error: unknown): SqliteFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { message, serviceCode: error instanceof ServiceError ? error.code : null, error };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  let connection: ReturnType<typeof createConnection> | undefined;
  returnMemoryAtRest({ free: () => connection?.shrink() });
  const handle = async (message: SqliteMessage): Promise<void> => {
    if ('open' in message) {
      connection = createConnection(message.open);
      return;
    }
    const { id } = message;
    const answer = (reply: SqliteReply, transfer: ArrayBuffer[] = []) => port.postMessage(reply, transfer);
    try {
      const value = await connection?.perform(message);
      answer({ id, value }, [...buffersIn(value)]);
    } catch (error) {
      answer({ id, failure: toFailure(error) });
    }
  };
  const handleTogether = async (requests: readonly TransactRequest[]): Promise<void> => {
    let outcomes: readonly Outcome[];
    try {
      outcomes = (await connection?.transactTogether(requests)) ?? [];
    } catch (error) {
      outcomes = requests.map(({ id }) => ({ id, error }));
    }
    for (const outcome of outcomes) {
      port.postMessage('error' in outcome ? { id: outcome.id, failure: toFailure(outcome.error) } : outcome);
    }
  };
  const queue: SqliteMessage[] = [];
  let isWorking = false;
  port.on('message', async (message: SqliteMessage) => {
    queue.push(message);
    if (isWorking) return;
    isWorking = true;
    while (queue.length > 0) {
      // Also what has arrived while the previous task blocked this thread.
      if (isTransaction(queue[0])) queue.push(...messagesOn(port));
      const sharing = takeSharing(queue);
      const next = sharing.length === 0 ? queue.shift() : undefined;
      await (next === undefined ? handleTogether(sharing) : handle(next));
    }
    isWorking = false;
  });
}

function messagesOn(port: MessagePort): SqliteMessage[] {
  const messages: SqliteMessage[] = [];
  for (let received = receiveMessageOnPort(port); received !== undefined; received = receiveMessageOnPort(port)) {
    messages.push(received.message as SqliteMessage);
  }
  return messages;
}

/**
 * Registers the SQL function `index_terms(title, heading_path, text)`: the full-text terms of a chunk, as JSON with
 * `title` and `body`. As an SQL function it runs inside the statement that fills the index, in the same thread.
 */
function registerTermFunctions(database: DatabaseSync): void {
  database.function('index_terms', { deterministic: true }, (title, headingPath, text) => {
    const headings: unknown = typeof headingPath === 'string' ? JSON.parse(headingPath) : [];
    return JSON.stringify(
      analyseForIndex({
        title: typeof title === 'string' ? title : '',
        headingPath: Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [],
        text: typeof text === 'string' ? text : '',
      }),
    );
  });
}

/** Registers the SQL function `vector_code(vector)`, by which the code of a vector is stored with it. */
function registerVectorFunction(database: DatabaseSync): void {
  database.function('vector_code', { deterministic: true }, (bytes) => {
    if (!(bytes instanceof Uint8Array)) return null;
    const vector = fromVectorBytes(bytes);
    return codingOf(vector.length).encode(vector);
  });
}
