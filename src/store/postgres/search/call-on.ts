import { type Kysely, type RawBuilder, sql } from 'kysely';
import { raceAbort } from '../../../shared/abort.ts';
import type { Database } from '../../sql/database.ts';
import type { Tables } from '../../sql/schema.ts';
import { cancelled } from '../../sql/sqlite/thread-pool.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { type QuerySettings, settingAll } from '../prepared.ts';
import { readState, rowsInState, type State, StateMoved } from './known-states.ts';
import { operations } from './operations.ts';
import type { Reading, SearchCache, StateQueries } from './reading.ts';

/** The connections that searches read from, and their cache. */
export interface SearchSource {
  readonly reader: Kysely<Tables>;
  /** Replaced after a restart of the database, which may then be in an earlier state. */
  cache: SearchCache;
}

/** Calls search operations, each over one state of the database. Aborting rejects without waiting for the operation. */
export function callOn(source: SearchSource): Database['search']['call'] {
  return async (name, query, signal) => {
    // The query matches the operation of this name, but TypeScript cannot infer that from the lookup.
    const operation = operations[name] as (reading: Reading, query: unknown) => Promise<never>;
    return overOneState(source, operation)(query, signal);
  };
}

/** Wraps an operation so that it reads one state of the database. */
export function overOneState<Query, Result>(
  source: SearchSource,
  operation: (reading: Reading, query: Query) => Promise<Result>,
): (query: Query, signal?: AbortSignal) => Promise<Result> {
  return async (query, signal) => {
    if (signal?.aborted) throw cancelled(signal);
    const answer = inOneState(source, (reading) => operation(reading, query));
    answer.catch(() => {});
    return raceAbort(answer, signal, cancelled);
  };
}

/**
 * Optimistically reads without a transaction, assuming the most likely current state. Every statement returns the state
 * it saw; if that differs, everything is read again in a transaction. The result does not wait for the commit of this
 * read-only transaction.
 */
function inOneState<Result>(source: SearchSource, read: (reading: Reading) => Promise<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const whole = source.reader.connection().execute(async (database) => {
    const { cache } = source;
    const opened = openTransaction(database);
    try {
      resolve(await readIn(database, { cache, opened, read }));
    } catch (error) {
      reject(error);
    }
    await opened.end();
  });
  whole.catch(reject);
  return promise;
}

interface Running<Result> {
  readonly cache: SearchCache;
  readonly opened: OpenTransaction;
  readonly read: (reading: Reading) => Promise<Result>;
}

async function readIn<Result>(database: Queries, { cache, opened, read }: Running<Result>): Promise<Result> {
  const likely = cache.states.likely();
  const state = likely ?? (await readState(database));
  if (likely === undefined) cache.states.note(state);
  const queries = queriesIn(database, { state, opened, isSeen: likely === undefined });
  try {
    const result = await read({ ...queries, cache, content: state.content, indexes: state.indexes });
    await queries.confirm();
    return result;
  } catch (error) {
    if (!(error instanceof StateMoved)) throw error;
  }
  const { content, indexes } = await opened.state().then((actual) => {
    cache.states.note(actual);
    return actual;
  });
  const rows: StateQueries['rows'] = (query, _how, settings) => rowsWithin(database, query, settings);
  return read({ rows, transaction: async () => database, cache, content, indexes });
}

/** Runs a query in a transaction; the settings remain in effect until its end. */
async function rowsWithin<Row>(
  transaction: Queries,
  query: RawBuilder<Row>,
  settings: QuerySettings | undefined,
): Promise<Row[]> {
  if (settings !== undefined) await sql.raw(settingAll(settings)).execute(transaction);
  return (await query.execute(transaction)).rows;
}

interface Attempt {
  readonly state: State;
  readonly opened: OpenTransaction;
  /** Whether the state was just read from the database, rather than assumed. */
  readonly isSeen: boolean;
}

function queriesIn(
  database: Queries,
  { state, opened, isSeen }: Attempt,
): StateQueries & { readonly confirm: () => Promise<void> } {
  let isConfirmed = isSeen;
  let isBegun = false;
  const transaction = async () => {
    if (isBegun) return database;
    if ((await opened.state()).name !== state.name) throw new StateMoved();
    isBegun = true;
    isConfirmed = true;
    return database;
  };
  return {
    transaction,
    async rows(query, how = 'once', settings = undefined) {
      if (isBegun) return rowsWithin(database, query, settings);
      const rows = await rowsInState(database, state.name, { query, isPrepared: how === 'prepared', settings });
      isConfirmed = true;
      return rows;
    },
    async confirm() {
      if (!isConfirmed && (await readState(database)).name !== state.name) throw new StateMoved();
    },
  };
}

interface OpenTransaction {
  /** The state that the transaction sees; the first call begins it. */
  state(): Promise<State>;
  end(): Promise<void>;
}

function openTransaction(database: Queries): OpenTransaction {
  let begun: Promise<State> | undefined;
  return {
    state() {
      begun ??= readState(database, 'begin;');
      return begun;
    },
    async end() {
      if (begun !== undefined) await sql`commit`.execute(database);
    },
  };
}
