import { type Kysely, sql } from 'kysely';
import { nameOfDatabase } from '../name-of-database.ts';
import type { SchemaState } from '../sql/migrations/run-steps.ts';
import type { Tables } from '../sql/schema.ts';
import { lastKnown, migratePostgres, stateOfPostgres } from './migrate.ts';
import { refuseUnusable } from './open-postgres.ts';
import { openConnections } from './postgres-dialect.ts';

export interface PostgresSchema extends SchemaState {
  /** Number of servers that use the database now; `olderServers` counts those of an earlier version. */
  readonly servers: number;
  readonly olderServers: number;
}

/** Reports which steps of this version's schema the database has. Changes nothing. */
export const readPostgresSchema = (url: string): Promise<PostgresSchema> =>
  using(url, async (database, name) => {
    const state = await stateOfPostgres(database, name);
    if (state.last === undefined) return { ...state, servers: 0, olderServers: 0 };
    const { rows } = await sql<{ all: number; older: number }>`
      select count(*) as all, count(*) filter (where knows_schema < ${lastKnown()}) as older
      from cluster_servers where key in (select key from cluster_servers_running)`.execute(database);
    return { ...state, servers: rows[0]?.all ?? 0, olderServers: rows[0]?.older ?? 0 };
  });

/** Migrates the schema to this version while servers run. Throws ServiceError if one of them could not keep working. */
export const migratePostgresSchema = (url: string, report: (message: string) => void): Promise<void> =>
  using(url, (database, name) => migratePostgres(database, name, { report }));

async function using<Result>(
  url: string,
  work: (database: Kysely<Tables>, name: string) => Promise<Result>,
): Promise<Result> {
  const name = nameOfDatabase(url);
  const [one, other] = [openConnections({ name, url, size: 1 }), openConnections({ name, url, size: 1 })];
  try {
    await refuseUnusable(one, other, name);
    return await work(one, name);
  } finally {
    await one.destroy();
    await other.destroy();
  }
}
