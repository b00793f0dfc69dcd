import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { ServiceError } from '../../errors.ts';
import {
  lastNumber,
  type RunOptions,
  runSteps,
  type SchemaState,
  type Steps,
  schemaState,
  stepsDone,
} from '../sql/migrations/run-steps.ts';
import { forEngine, sharedSteps } from '../sql/migrations/shared-steps.ts';
import type { Tables } from '../sql/schema.ts';
import { baseline } from './baseline/baseline.ts';
import { WAIT_FOR_TURN } from './join-servers.ts';

/** The baseline replaces all of SQLite's steps up to its number; later steps are the same on both engines. */
export const postgresSteps: Steps = { '0018-baseline': baseline, ...forEngine(sharedSteps) };

export type MigrateOptions = Pick<RunOptions, 'mode' | 'report'> & Partial<Pick<RunOptions, 'steps'>>;

/** The number of the last migration step that this version knows. */
export const lastKnown = (own: Steps = postgresSteps): number => lastNumber(Object.keys(own));

/**
 * Migrates the database to this version of the program. Processes that start at the same time wait for each other.
 * Servers of earlier versions keep working; a step that they could not work with throws `conflict` while one of them
 * runs.
 */
export async function migratePostgres(
  database: Kysely<Tables>,
  name: string,
  options: MigrateOptions = {},
): Promise<void> {
  await runSteps(database, await stepsOf(database), {
    name,
    steps: postgresSteps,
    otherwise: OTHERWISE,
    ...options,
    begin: async (transaction, worksFrom) => {
      await sql.raw(WAIT_FOR_TURN).execute(transaction);
      if (worksFrom !== undefined) await refuseOlderServers(transaction, name, worksFrom);
    },
  });
}

/** Throws if running servers could not work with the new schema; no server can join until the transaction ends. */
async function refuseOlderServers(transaction: Kysely<Tables>, name: string, worksFrom: number): Promise<void> {
  const { rows } = await sql<{ found: number }>`
    select to_regclass('cluster_servers') is not null as found`.execute(transaction);
  if (rows[0]?.found !== 1) return;
  await sql`lock table cluster_servers in share row exclusive mode`.execute(transaction);
  const older = await sql<{ count: number }>`
    select count(*) as count from cluster_servers
    where knows_schema < ${worksFrom} and key in (select key from cluster_servers_running)`.execute(transaction);
  const count = older.rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new ServiceError(
    'conflict',
    `The database ${name} is to be changed in a way that servers of earlier versions cannot work with, and ${count} of ` +
      'them use it. Stop them, and try again.',
  );
}

/** Which steps of this version's schema the database has. Throws ServiceError if this version cannot use the schema. */
export async function stateOfPostgres(
  database: Kysely<Tables>,
  name: string,
  steps: Steps = postgresSteps,
): Promise<SchemaState> {
  return schemaState(database, await stepsOf(database), { name, steps, otherwise: OTHERWISE });
}

const OTHERWISE = 'choose another database.';

async function stepsOf(database: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ found: number }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as found`.execute(database);
  return stepsDone(database, rows[0]?.found === 1);
}
