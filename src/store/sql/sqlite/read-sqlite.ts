import { Kysely } from 'kysely';
import type { Tables } from '../schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { startSqliteThread } from './sqlite-thread.ts';
import { createThreadPool } from './thread-pool.ts';

/** Reads a database file that another process may have open, and changes nothing. */
export function readSqlite(path: string) {
  const pool = createThreadPool([startSqliteThread({ path, readOnly: true })]);
  const reader = new Kysely<Tables>({ dialect: sqliteDialect(pool, { readOnly: true }) });
  return { reader, close: () => pool.close() };
}
