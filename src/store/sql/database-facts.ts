import { DatabaseSync } from 'node:sqlite';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';

/** What a database file holds. */
export interface DatabaseFacts {
  /** The last migration step applied; empty when there is none. */
  readonly schema: string;
  readonly documents: number;
  readonly chunks: number;
}

/** Reads a database that nobody has open. Throws what SQLite throws when the file cannot be read. */
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
