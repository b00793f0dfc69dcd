import type { Kysely } from 'kysely';
import { raceAbort } from '../../../shared/abort.ts';
import type { Database } from '../../sql/database.ts';
import type { Tables } from '../../sql/schema.ts';
import { cancelled } from '../../sql/sqlite/thread-pool.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { operations } from './operations.ts';

/** Calls search operations, each over one state of the database; a caller that aborts does not wait for the end. */
export function callOn(reader: Kysely<Tables>): Database['search']['call'] {
  return async (name, query, signal) => {
    // Each operation takes what its name says, which TypeScript can not follow through the table.
    const operation = operations[name] as (database: Queries, query: unknown) => Promise<never>;
    return overOneState(reader, operation)(query, signal);
  };
}

/** An operation over one state of the database. */
export function overOneState<Query, Result>(
  reader: Kysely<Tables>,
  operation: (database: Queries, query: Query) => Promise<Result>,
): (query: Query, signal?: AbortSignal) => Promise<Result> {
  return async (query, signal) => {
    if (signal?.aborted) throw cancelled(signal);
    const answer = reader.transaction().execute((transaction) => operation(transaction, query));
    answer.catch(() => {});
    return raceAbort(answer, signal, cancelled);
  };
}
