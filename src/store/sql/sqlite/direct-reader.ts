import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Chunk } from '../../../documents/chunk.ts';
import { HAS_GRAPH } from '../graph/has-graph.ts';
import { type ChunkReading, loadChunks } from '../search/load-chunks.ts';
import { createOutlineCache } from '../search/outline-cache.ts';

/**
 * Reads a few rows in the calling thread. That is faster than sending a message to another thread and waiting for it
 * to wake, as long as the database's pages are in memory.
 */
export interface DirectReader {
  /**
   * Identifies the state of the records and the vector index: as long as it is the same, nothing has been written to
   * the database, and the index holds exactly the visible chunks. Undefined while writes to the index are pending.
   */
  state(): string | undefined;
  /**
   * The visible ones among these chunks, by key; none of another state than `state`, if that is given. Undefined if
   * the state differs, or if they have to be read in another thread.
   */
  readChunks(keys: readonly number[], state?: string): ReadonlyMap<number, Chunk> | undefined;
  /** Whether no graph has any content; undefined if this has to be read in another thread. */
  isGraphEmpty(): boolean | undefined;
}

/** A read of more chunks is left to the other threads. */
const MAX_CHUNKS = 50;
/** A slower read probably waited for the disk. */
const SLOW_MS = 5;
/** After a slow read, the next ones are left to the other threads for this many times its duration. */
const PAUSE_PER_SLOW_TIME = 100;
const PAUSE_AFTER_ERROR_MS = 10_000;
const CACHE_KB = 4_096;

export interface DirectReaderOptions {
  readonly path: string;
  /** The current time in milliseconds, of a clock that is never set back. */
  readonly now?: () => number;
}

/** Opens its connection after it is first asked, because that takes some milliseconds. */
export function createDirectReader({
  path,
  now = () => performance.now(),
}: DirectReaderOptions): DirectReader & { close(): void } {
  let connection: Connection | undefined;
  let opening: NodeJS.Immediate | undefined;
  let opened = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let closed = false;

  // In one transaction, so that all reads see one state. Errors are left to the other threads, which report them.
  function read<Result>(operation: (connection: Connection) => Result): Result | undefined {
    const start = now();
    if (closed || start < pausedUntil) return undefined;
    if (connection === undefined) {
      opening ??= setImmediate(open);
      return undefined;
    }
    try {
      return connection.inTransaction(operation);
    } catch {
      fail();
      return undefined;
    } finally {
      const took = now() - start;
      if (took > SLOW_MS) pausedUntil = Math.max(pausedUntil, start + took * PAUSE_PER_SLOW_TIME);
    }
  }

  function open(): void {
    opening = undefined;
    try {
      connection = connect(path, ++opened);
      // Reads the schema.
      connection.inTransaction(stateOf);
    } catch {
      fail();
    }
  }

  function fail(): void {
    pausedUntil = now() + PAUSE_AFTER_ERROR_MS;
    disconnect();
  }

  function disconnect(): void {
    clearImmediate(opening);
    opening = undefined;
    connection?.close();
    connection = undefined;
  }

  return {
    state: () => read(stateOf),
    readChunks(keys, state) {
      if (keys.length > MAX_CHUNKS) return undefined;
      return read((connection) => {
        if (state !== undefined && stateOf(connection) !== state) return undefined;
        return loadChunks(connection, keys);
      });
    },
    isGraphEmpty: () => read(({ rows }) => [...rows(HAS_GRAPH)][0]?.[0] === 0),
    close() {
      closed = true;
      disconnect();
    },
  };
}

interface Connection extends ChunkReading {
  /** Data versions of different connections are not comparable. */
  readonly number: number;
  inTransaction<Result>(operation: (connection: Connection) => Result): Result;
  close(): void;
}

function stateOf({ number, rows }: Connection): string | undefined {
  // SQLite takes its snapshot on the first read of a table; only then does the data version refer to it.
  const [hasPending] = [...rows('select exists (select 1 from outbox)')];
  const [version] = [...rows('pragma data_version')];
  return hasPending?.[0] === 0 ? `${number} ${version?.[0]}` : undefined;
}

function connect(path: string, number: number): Connection {
  // Does not wait for a lock.
  const database = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  database.exec(`pragma cache_size = -${CACHE_KB}`);
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statement.setReturnArrays(true);
    statements.set(sql, statement);
    return statement;
  };
  const connection: Connection = {
    number,
    snapshot: { outlines: createOutlineCache() },
    rows: (sql, ...parameters) => prepare(sql).iterate(...parameters) as unknown as IterableIterator<SQLInputValue[]>,
    inTransaction(operation) {
      database.exec('begin');
      try {
        return operation(connection);
      } finally {
        database.exec('commit');
      }
    },
    close: () => database.close(),
  };
  return connection;
}
