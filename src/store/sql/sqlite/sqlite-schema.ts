import { existsSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { SchemaState } from '../migrations/run-steps.ts';
import type { Tables } from '../schema.ts';
import { stateOfSqlite } from './migrate.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { startSqliteThread } from './sqlite-thread.ts';
import { createThreadPool } from './thread-pool.ts';

/** What a database file has of this version's schema; undefined when there is no file. Changes nothing. */
export async function readSqliteSchema(path: string): Promise<SchemaState | undefined> {
  if (!existsSync(path)) return undefined;
  const pool = createThreadPool([startSqliteThread({ path, readOnly: true })]);
  try {
    return await stateOfSqlite(new Kysely<Tables>({ dialect: sqliteDialect(pool, { readOnly: true }) }), path);
  } finally {
    await pool.close();
  }
}
