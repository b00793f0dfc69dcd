import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { ServiceError } from '../../../errors.ts';
import { records } from '../migrations/0001-records.ts';
import { sqliteFullText } from '../migrations/0002-sqlite-full-text.ts';
import { conversationSummaries } from '../migrations/0003-conversation-summaries.ts';
import { users } from '../migrations/0004-users.ts';
import { collectionMembers } from '../migrations/0005-collections.ts';
import { graph } from '../migrations/0006-graph.ts';
import { queue } from '../migrations/0007-queue.ts';
import { versions } from '../migrations/0008-versions.ts';
import { embedders } from '../migrations/0009-embedders.ts';
import { enrichment } from '../migrations/0011-enrichment.ts';
import { headings } from '../migrations/0012-headings.ts';
import { graphGathering } from '../migrations/0013-graph-gathering.ts';
import { extractionStatus } from '../migrations/0014-extraction-status.ts';
import { graphResets } from '../migrations/0015-graph-resets.ts';
import { followedSources } from '../migrations/0016-followed-sources.ts';
import { fullTextChanges } from '../migrations/0017-full-text-changes.ts';
import type { Tables } from '../schema.ts';

/** Applied in order of name. A released step is never changed; a new one is added. */
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
  '0012-headings': headings,
  '0013-graph-gathering': graphGathering,
  '0014-extraction-status': extractionStatus,
  '0015-graph-resets': graphResets,
  '0016-followed-sources': followedSources,
  '0017-full-text-changes': fullTextChanges,
};

/** Whether this version of the program knows the step: it does not know those of newer versions. */
export const isKnownStep = (step: string): boolean => step in steps;

export interface MigrateOptions {
  /** Called before the first step on a database of an earlier version, with the last step that it has. */
  readonly beforeUpgrade?: (lastStep: string) => Promise<void>;
  /** Receives the progress of an upgrade, for the operator. */
  readonly report?: ((message: string) => void) | undefined;
}

/** Migrates the database to this version of the program, in one transaction. */
export async function migrate(database: Kysely<Tables>, name: string, options: MigrateOptions = {}): Promise<void> {
  const done = await stepsDone(database);
  const newer = done.find((step) => !isKnownStep(step));
  if (newer !== undefined) throw writtenByNewer(name, newer);
  // Avoids the migrator when nothing is pending, because it first reads the structure of every table.
  if (done.length === Object.keys(steps).length) return;
  const last = done.at(-1);
  if (last !== undefined) await options.beforeUpgrade?.(last);
  const report = last === undefined ? undefined : options.report;
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => reported(done, report) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) {
    report?.(`The database ${name} is up to date.`);
    return;
  }
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const at = failed === undefined ? '' : ` at step ${failed}`;
  throw new ServiceError('store_failed', `The database ${name} could not be brought up to date${at}.`, {
    cause: error,
  });
}

/** The steps, which report when they begin. */
function reported(done: readonly string[], report: MigrateOptions['report']): Record<string, Migration> {
  if (report === undefined) return { ...steps };
  const pending = Object.keys(steps).filter((step) => !done.includes(step));
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      {
        ...step,
        up(database) {
          report(`Upgrading the database: step ${pending.indexOf(name) + 1} of ${pending.length} (${name}).`);
          return step.up(database);
        },
      },
    ]),
  );
}

async function stepsDone(database: Kysely<Tables>): Promise<readonly string[]> {
  const table =
    await sql`select 1 from sqlite_master where type = 'table' and name = ${DEFAULT_MIGRATION_TABLE}`.execute(database);
  if (table.rows.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`.execute(
    database,
  );
  return rows.map((row) => row.name).sort();
}

const writtenByNewer = (name: string, step: string): ServiceError =>
  new ServiceError(
    'store_failed',
    `The database ${name} was written by a newer version of Citewell (step ${step}). ` +
      'Install that version, or choose another folder with CITEWELL_DATA_DIR.',
  );
