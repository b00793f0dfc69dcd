import { Kysely } from 'kysely';
import { type Transact, transactOn } from '../documents/ingestion-transactions.ts';
import type { Tables } from '../schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { SqliteTask } from './sqlite-messages.ts';
import { createThreadPool } from './thread-pool.ts';

/** Runs transactions inside the connection's own thread, where `perform` executes each statement synchronously. */
export function ownTransactions(perform: (task: SqliteTask) => unknown): Transact {
  const own = {
    perform: async <Result>(task: SqliteTask) => perform(task) as Result,
    close: async () => {},
  };
  return transactOn(new Kysely<Tables>({ dialect: sqliteDialect(createThreadPool([own]), { readOnly: false }) }));
}
