import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { searchOperations } from './search-operations.ts';
import type {
  Operations,
  SqliteFailure,
  SqliteReply,
  SqliteRequest,
  SqliteRows,
  SqliteTask,
  SqliteThreadOptions,
} from './sqlite-messages.ts';
import { registerTermFunctions } from './term-functions.ts';

const STATEMENTS_KEPT = 256;
/** Two connections write only while one of them migrates or repairs; neither holds the file for long. */
const BUSY_TIMEOUT_MS = 10_000;

const operations: Operations = searchOperations;

/** Runs tasks on one connection, opened at the first of them. */
function createConnection(options: SqliteThreadOptions) {
  let database: DatabaseSync | undefined;
  const statements = new Map<string, StatementSync>();

  const open = (): DatabaseSync => {
    if (database !== undefined) return database;
    database = new DatabaseSync(options.path, { readOnly: options.readOnly, timeout: BUSY_TIMEOUT_MS });
    if (!options.readOnly) {
      database.exec('pragma journal_mode = wal; pragma synchronous = full');
      registerTermFunctions(database);
    }
    database.exec('pragma foreign_keys = on; pragma cache_size = -65536; pragma temp_store = memory');
    return database;
  };

  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql);
    const statement = known ?? open().prepare(sql);
    if (known !== undefined) statements.delete(sql);
    statements.set(sql, statement);
    const [oldest] = statements.keys();
    if (statements.size > STATEMENTS_KEPT && oldest !== undefined) statements.delete(oldest);
    return statement;
  };

  const query = (task: SqliteTask & { kind: 'query' }): SqliteRows => {
    const statement = prepare(task.sql);
    // Kysely binds booleans, which SQLite has no type for.
    const parameters = task.parameters.map((value: unknown) => (typeof value === 'boolean' ? Number(value) : value));
    if (statement.columns().length > 0) {
      return { rows: statement.all(...(parameters as typeof task.parameters)), changes: 0, lastInsertRowid: 0 };
    }
    const { changes, lastInsertRowid } = statement.run(...(parameters as typeof task.parameters));
    return { rows: [], changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
  };

  const close = (): void => {
    statements.clear();
    if (database === undefined) return;
    if (!options.readOnly) database.exec('pragma optimize; pragma wal_checkpoint(truncate)');
    database.close();
    database = undefined;
  };

  return (task: SqliteTask): unknown => {
    switch (task.kind) {
      case 'query':
        return query(task);
      case 'call': {
        const operation = operations[task.operation];
        if (operation === undefined) throw new Error(`There is no database operation named "${task.operation}".`);
        return operation(open(), task.args as never);
      }
      case 'close':
        return close();
    }
  };
}

const MAX_DEPTH = 4;

/** The buffers inside a result, which can be handed over instead of copied because nothing here keeps them. */
function buffersIn(value: unknown, found: Set<ArrayBuffer> = new Set(), depth = 0): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    // A view into a larger buffer may be one of several; copying the view is then the safe way.
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
  const perform = createConnection(workerData as SqliteThreadOptions);
  port.on('message', ({ id, task }: SqliteRequest) => {
    const answer = (reply: SqliteReply, transfer: ArrayBuffer[] = []) => port.postMessage(reply, transfer);
    try {
      const value = perform(task);
      answer({ id, value }, [...buffersIn(value)]);
    } catch (error) {
      answer({ id, failure: toFailure(error) });
    }
    if (task.kind === 'close') port.close();
  });
}
