import type { Kysely } from 'kysely';
import type { SharedState } from '../../shared-state.ts';
import type { Tables } from '../../sql/schema.ts';
import { createPostgresCitations } from './postgres-citations.ts';
import { createPostgresFiles } from './postgres-files.ts';
import { createPostgresIngestions } from './postgres-ingestions.ts';
import { createPostgresRuns } from './postgres-runs.ts';

/** State of work in progress. `database` is a pool that no transaction of the records uses. */
export const createSharedState = (
  connections: { readonly database: Kysely<Tables>; readonly reader: Kysely<Tables> },
  serverKey: number,
): SharedState => ({
  runs: createPostgresRuns(connections.database, serverKey),
  files: createPostgresFiles(connections, serverKey),
  ingestions: createPostgresIngestions(connections.database),
  citations: createPostgresCitations(connections.database),
});
