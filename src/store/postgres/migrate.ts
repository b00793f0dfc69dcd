import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { ServiceError } from '../../errors.ts';
import type { Tables } from '../sql/schema.ts';
import { baseline } from './baseline/baseline.ts';

/** Applied in order of name. The baseline stands for all steps of SQLite up to the one it is named after. */
const steps: Readonly<Record<string, Migration>> = { '0016-baseline': baseline };

/** Migrates the database to this version of the program. Processes that start at the same time wait for each other. */
export async function migratePostgres(database: Kysely<Tables>, name: string): Promise<void> {
  // Avoids the migrator when nothing is pending, because it first reads the structure of every table.
  if (await isMigrated(database, name)) return;
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...steps }) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  throw new ServiceError('store_failed', `The database ${name} could not be brought up to date.`, { cause: error });
}

/** Whether the schema is this version's; refuses that of a newer one. */
export async function isMigrated(database: Kysely<Tables>, name: string): Promise<boolean> {
  const table = await sql<{ found: number }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as found`.execute(database);
  if (table.rows[0]?.found !== 1) return false;
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  if (rows.some((row) => !(row.name in steps))) {
    throw new ServiceError(
      'store_failed',
      `The database ${name} was written by a newer version of Citewell. Install that version, or choose another database.`,
    );
  }
  return rows.length === Object.keys(steps).length;
}
