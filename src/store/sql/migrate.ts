import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { ServiceError } from '../../errors.ts';
import { records } from './migrations/0001-records.ts';
import { sqliteFullText } from './migrations/0002-sqlite-full-text.ts';
import { conversationSummaries } from './migrations/0003-conversation-summaries.ts';
import { users } from './migrations/0004-users.ts';
import { collectionMembers } from './migrations/0005-collections.ts';
import { graph } from './migrations/0006-graph.ts';
import { queue } from './migrations/0007-queue.ts';
import { versions } from './migrations/0008-versions.ts';
import { embedders } from './migrations/0009-embedders.ts';
import { enrichment } from './migrations/0011-enrichment.ts';
import type { Tables } from './schema.ts';

/** In order of name. A step that has been released is never changed; a new one is added. */
const steps: Readonly<Record<string, Migration>> = {
  '0001-records': records,
  '0002-sqlite-full-text': sqliteFullText,
  '0003-conversation-summaries': conversationSummaries,
  '0004-users': users,
  '0005-collections': collectionMembers,
  '0006-graph': graph,
  '0007-queue': queue,
  '0008-versions': versions,
  '0009-embedders': embedders,
  '0011-enrichment': enrichment,
};

/** Brings the database up to this version of the program; each step is done whole or not at all. */
export async function migrate(database: Kysely<Tables>, name: string): Promise<void> {
  await refuseNewer(database, name);
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => ({ ...steps }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const at = failed === undefined ? '' : ` at step ${failed}`;
  throw new ServiceError('store_failed', `The database ${name} could not be brought up to date${at}.`, {
    cause: error,
  });
}

async function refuseNewer(database: Kysely<Tables>, name: string): Promise<void> {
  const tables = await database.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE)) return;
  const done = await sql<{
    name: string;
  }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(database);
  const unknown = done.rows.find((step) => !(step.name in steps));
  if (unknown === undefined) return;
  throw new ServiceError(
    'store_failed',
    `The database ${name} was written by a newer version of Citewell (step ${unknown.name}). ` +
      'Install that version, or choose another folder with CITEWELL_DATA_DIR.',
  );
}
