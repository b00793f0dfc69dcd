import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
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
import { vectorCodes } from '../migrations/0018-vector-codes.ts';
import {
  type RunOptions,
  runSteps,
  type SchemaState,
  type Steps,
  schemaState,
  stepsDone,
} from '../migrations/run-steps.ts';
import { forEngine, sharedSteps } from '../migrations/shared-steps.ts';
import type { Tables } from '../schema.ts';

/** Applied in order of name. Later steps are in `shared-steps.ts`. */
export const sqliteSteps: Steps = {
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
  '0018-vector-codes': vectorCodes,
  ...forEngine(sharedSteps),
};

/** Whether this version of the program has the migration step; false for steps of newer versions. */
export const isKnownStep = (step: string): boolean => step in sqliteSteps;

export type MigrateOptions = Pick<RunOptions, 'beforeUpgrade' | 'mode' | 'report'> & Partial<Pick<RunOptions, 'steps'>>;

/** Migrates the database to this version of the program, in one transaction. */
export async function migrate(database: Kysely<Tables>, name: string, options: MigrateOptions = {}): Promise<void> {
  await runSteps(database, await stepsOf(database), { name, steps: sqliteSteps, otherwise: OTHERWISE, ...options });
}

/** Compares the database's schema with this version's. Throws ServiceError if this version cannot use the database. */
export async function stateOfSqlite(database: Kysely<Tables>, name: string): Promise<SchemaState> {
  return schemaState(database, await stepsOf(database), { name, steps: sqliteSteps, otherwise: OTHERWISE });
}

const OTHERWISE = 'choose another folder with CITEWELL_DATA_DIR.';

async function stepsOf(database: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } =
    await sql`select 1 from sqlite_master where type = 'table' and name = ${DEFAULT_MIGRATION_TABLE}`.execute(database);
  return stepsDone(database, rows.length > 0);
}
