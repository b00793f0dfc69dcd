import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { DialectOwner } from '../sql-dialect.ts';
import type { Operations, SqliteRows, SqliteTask } from './sqlite-messages.ts';
import { sqliteSql } from './sqlite-sql.ts';
import type { SqliteThread } from './sqlite-thread.ts';
import type { ThreadPool } from './thread-pool.ts';

/** A borrowed thread as a kysely connection. */
class ThreadConnection implements DatabaseConnection {
  readonly thread: SqliteThread;
  /** Statement that begins a transaction. It is sent with the next query, which saves a round trip to the thread. */
  begin: string | undefined;

  constructor(thread: SqliteThread) {
    this.thread = thread;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const parameters = query.parameters as (SqliteTask & { kind: 'query' })['parameters'];
    const { begin } = this;
    this.begin = undefined;
    const task: SqliteTask = { kind: 'query', sql: query.sql, parameters, ...(begin !== undefined && { begin }) };
    const { rows, changes, lastInsertRowid } = await this.thread.perform<SqliteRows>(task);
    return { rows: rows as Row[], numAffectedRows: BigInt(changes), insertId: lastInsertRowid };
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator where there is nothing to yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new ServiceError('internal', 'SQLite queries are not streamed; read in pages.');
  }
}

/** SQLite's DDL is transactional, so a migration is atomic. */
class TransactionalDdlAdapter extends SqliteAdapter implements DialectOwner {
  readonly sqlDialect = sqliteSql;
  readonly #multipleConnections: boolean;

  constructor(multipleConnections: boolean) {
    super();
    this.#multipleConnections = multipleConnections;
  }

  override get supportsMultipleConnections(): boolean {
    return this.#multipleConnections;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely dialect over database threads. `readOnly` pools hold several connections, the writer's only one. */
export function sqliteDialect(pool: ThreadPool, { readOnly }: { readonly readOnly: boolean }): Dialect {
  const connections = new Map<SqliteThread, ThreadConnection>();
  const connectionOf = (thread: SqliteThread): ThreadConnection => {
    const connection = connections.get(thread) ?? new ThreadConnection(thread);
    connections.set(thread, connection);
    return connection;
  };
  /** Ends the transaction, if it has begun. */
  const end = async (connection: DatabaseConnection, sql: 'commit' | 'rollback'): Promise<void> => {
    const own = owned(connection);
    if (own.begin === undefined) await own.thread.perform({ kind: 'query', sql, parameters: [] });
    own.begin = undefined;
  };

  const driver: Driver = {
    async init() {},
    acquireConnection: async (options) => connectionOf(await pool.acquire(options?.signal)),
    // A deferred transaction that starts to write may find the file changed; an immediate one cannot.
    beginTransaction: async (connection) => {
      owned(connection).begin = readOnly ? 'begin' : 'begin immediate';
    },
    commitTransaction: (connection) => end(connection, 'commit'),
    rollbackTransaction: async (connection) => {
      await end(connection, 'rollback').catch((error: unknown) => {
        // SQLite has already rolled back, as it does when the disk is full: the original error is reported instead.
        if (!(error instanceof Error && NOTHING_TO_UNDO.test(error.message))) throw error;
      });
    },
    releaseConnection: async (connection) => pool.release(owned(connection).thread),
    async destroy() {},
  };
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalDdlAdapter(readOnly),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

const NOTHING_TO_UNDO = /cannot rollback - no transaction is active/;

function owned(connection: DatabaseConnection): ThreadConnection {
  if (connection instanceof ThreadConnection) return connection;
  throw new ServiceError('internal', 'This connection belongs to another database.');
}

/** Calls one of the operations in `Known` by name, with its argument and result types. */
export type Call<Known extends Operations> = <Name extends keyof Known & string>(
  operation: Name,
  args: Parameters<Known[Name]>[1],
  signal?: AbortSignal,
) => Promise<ReturnType<Known[Name]>>;
