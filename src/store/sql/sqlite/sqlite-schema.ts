import { existsSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { SchemaState } from '../migrations/run-steps.ts';
import type { Tables } from '../schema.ts';
import { sqliteSteps, stateOfSqlite } from './migrate.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { startSqliteThread } from './sqlite-thread.ts';
import { createThreadPool } from './thread-pool.ts';

/** Compares the schema of a database file with this version's. The file may be missing. Changes nothing. */
export async function readSqliteSchema(path: string): Promise<SchemaState> {
  if (!existsSync(path)) return { last: undefined, pending: Object.keys(sqliteSteps), newer: [], worksFrom: 0 };
  const pool = createThreadPool([startSqliteThread({ path, readOnly: true })]);
  try {
    return await stateOfSqlite(new Kysely<Tables>({ dialect: sqliteDialect(pool, { readOnly: true }) }), path);
  } finally {
    await pool.close();
  }
}
