import type { Kysely } from 'kysely';
import { raceAbort } from '../../../shared/abort.ts';
import type { Database } from '../../sql/database.ts';
import type { Tables } from '../../sql/schema.ts';
import { cancelled } from '../../sql/sqlite/thread-pool.ts';
import { operations } from './operations.ts';

/** Calls search operations, each over one state of the database; a caller that aborts does not wait for the end. */
export function callOn(reader: Kysely<Tables>): Database['search']['call'] {
  return async (name, query, signal) => {
    if (signal?.aborted) throw cancelled(signal);
    // Each operation takes what its name says, which TypeScript can not follow through the table.
    const operation = operations[name] as (database: Kysely<Tables>, query: unknown) => Promise<never>;
    const answer = reader.transaction().execute((transaction) => operation(transaction, query));
    answer.catch(() => {});
    return raceAbort(answer, signal, cancelled);
  };
}
