import { join } from 'node:path';
import type { Config } from '../config.ts';
import { DATABASE_FILE, openDataFolder } from '../store/data-folder.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import type { SchemaState } from '../store/sql/migrations/run-steps.ts';
import { openSqlite } from '../store/sql/sqlite/open-sqlite.ts';
import { readSqliteSchema } from '../store/sql/sqlite/sqlite-schema.ts';

export interface DatabaseSchema extends SchemaState {
  /** Name of the database, without a password. */
  readonly name: string;
  /** Number of servers that use it now, and how many of them are of an earlier version; undefined for SQLite. */
  readonly servers?: number;
  readonly olderServers?: number;
}

type DatabaseLocation = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** The schema of the configured database, compared with this version's. */
export async function readDatabaseSchema({ dataDir, databaseUrl }: DatabaseLocation): Promise<DatabaseSchema> {
  if (databaseUrl !== undefined) {
    const { readPostgresSchema } = await import('../store/postgres/postgres-schema.ts');
    return { name: nameOfDatabase(databaseUrl), ...(await readPostgresSchema(databaseUrl)) };
  }
  const path = join(dataDir, DATABASE_FILE);
  return { name: path, ...(await readSqliteSchema(path)) };
}

/** Migrates the configured database to this version's schema. Throws `conflict` if a running server prevents it. */
export async function migrateDatabase(
  { dataDir, databaseUrl }: DatabaseLocation,
  report: (message: string) => void,
): Promise<void> {
  if (databaseUrl !== undefined) {
    const { migratePostgresSchema } = await import('../store/postgres/postgres-schema.ts');
    return migratePostgresSchema(databaseUrl, report);
  }
  const folder = await openDataFolder(dataDir);
  try {
    const database = await openSqlite({ path: folder.databaseFile, readers: 1, report });
    await database.close();
  } finally {
    await folder.close();
  }
}
