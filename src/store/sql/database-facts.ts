import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';

/** Summary of the content of a database file. */
export interface DatabaseFacts {
  /** The last migration step applied; empty when there is none. */
  readonly schema: string;
  readonly documents: number;
  readonly chunks: number;
}

/** Reads a database that no process has open. Rethrows SQLite's error if the file cannot be read. */
export function databaseFacts(path: string): DatabaseFacts {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const read = (sql: string) => Object.values(database.prepare(sql).get() ?? {})[0];
    return {
      schema: String(read(`select max(name) from ${DEFAULT_MIGRATION_TABLE}`) ?? ''),
      documents: Number(read('select count(*) from documents')),
      chunks: Number(read('select count(*) from chunks')),
    };
  } finally {
    database.close();
  }
}
