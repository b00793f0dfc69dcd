import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { raceAbort } from '../../../shared/abort.ts';
import type { Database } from '../../sql/database.ts';
import type { Tables } from '../../sql/schema.ts';
import { cancelled } from '../../sql/sqlite/thread-pool.ts';
import { operations } from './operations.ts';
import { beginReading, type Reading, type SearchCache } from './reading.ts';

/** Where searches read, and what they have read before. */
export interface SearchSource {
  readonly reader: Kysely<Tables>;
  readonly cache: SearchCache;
}

/** Calls search operations, each over one state of the database; a caller that aborts does not wait for the end. */
export function callOn(source: SearchSource): Database['search']['call'] {
  return async (name, query, signal) => {
    // Each operation takes what its name says, which TypeScript can not follow through the table.
    const operation = operations[name] as (reading: Reading, query: unknown) => Promise<never>;
    return overOneState(source, operation)(query, signal);
  };
}

/** An operation over one state of the database. */
export function overOneState<Query, Result>(
  { reader, cache }: SearchSource,
  operation: (reading: Reading, query: Query) => Promise<Result>,
): (query: Query, signal?: AbortSignal) => Promise<Result> {
  return async (query, signal) => {
    if (signal?.aborted) throw cancelled(signal);
    const answer = inOneState(reader, async (database) => operation(await beginReading(database, cache), query));
    answer.catch(() => {});
    return raceAbort(answer, signal, cancelled);
  };
}

/** Runs reads that begin a transaction; its end, which changes nothing, is not waited for. */
function inOneState<Result>(
  reader: Kysely<Tables>,
  read: (database: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const whole = reader.connection().execute(async (database) => {
    try {
      resolve(await read(database));
    } catch (error) {
      reject(error);
    }
    await sql`commit`.execute(database);
  });
  whole.catch(reject);
  return promise;
}
