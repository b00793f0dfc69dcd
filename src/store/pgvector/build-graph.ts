import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { toServiceError } from '../postgres/postgres-errors.ts';
import { indexGraph } from '../vector-index.ts';
import { GRAPHS, graphOf, isHalf, tableOf } from './vector-tables.ts';

export interface GraphBuild {
  readonly url: string;
  /** Without its password, for messages. */
  readonly name: string;
  readonly collection: string;
  readonly dimensions: number;
  readonly signal: AbortSignal;
}

const CONNECT_WITHIN_MS = 30_000;
const TRY_EVERY_MS = 500;
/** Maximum memory that PostgreSQL may use to build the graph; vectors beyond it are added more slowly. */
const MAX_MEGABYTES = 1_024;
/** Approximate size of a vector's links, label and tuple, in addition to its components. */
const BYTES_PER_VECTOR = 600;

/**
 * Builds the HNSW graph of a collection's table if it does not exist yet. Building it from all vectors together takes a
 * fraction of the time of adding them one by one. The table can be read and written meanwhile. Aborting `signal` only
 * ends the wait: PostgreSQL continues to build.
 */
export async function buildGraph(build: GraphBuild): Promise<void> {
  const { url, name, collection, dimensions, signal } = build;
  if (graphOf(dimensions) === undefined || signal.aborted) return;
  // A separate connection, because building may take long, and its settings and lock are tied to the session.
  const client = new Client({ connectionString: url, application_name: 'citewell', ...CONNECTING });
  client.on('error', () => {});
  const leave = () => void client.end().catch(() => {});
  signal.addEventListener('abort', leave);
  try {
    await client.connect();
    if (await hasGraph(client, build)) return;
    // Polls instead of waiting in the database: `create index concurrently` would wait for the waiting transaction.
    while (!(await tryLock(client, collection))) {
      await sleep(TRY_EVERY_MS, undefined, { signal });
      if (await hasGraph(client, build)) return;
    }
    if (await hasGraph(client, build)) return;
    await create(client, collection, dimensions);
    // A newly filled table has no statistics yet, so searches would get bad plans.
    await client.query(`analyze ${tableOf(collection)}`);
  } catch (error) {
    signal.throwIfAborted();
    throw toServiceError(error, name);
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

const CONNECTING = { keepAlive: true, connectionTimeoutMillis: CONNECT_WITHIN_MS };

async function tryLock(client: Client, collection: string): Promise<boolean> {
  const text = 'select pg_try_advisory_lock(hashtext($1)) as has';
  return (await client.query({ text, values: [`graph of ${tableOf(collection)}`] })).rows[0].has;
}

async function hasGraph(client: Client, { collection, dimensions }: GraphBuild): Promise<boolean> {
  const { rows } = await client.query({ text: GRAPHS, values: [tableOf(collection)] });
  return rows.some(({ valid, half }) => valid && half === isHalf(dimensions));
}

async function create(client: Client, collection: string, dimensions: number): Promise<void> {
  const table = tableOf(collection);
  const { rows } = await client.query<{ name: string; valid: boolean }>({ text: GRAPHS, values: [table] });
  const drop = (name: string) => client.query(`drop index concurrently if exists ${client.escapeIdentifier(name)}`);
  // An interrupted build leaves an invalid index behind.
  for (const { name, valid } of rows) if (!valid) await drop(name);
  const counted = await client.query(`select count(*)::integer as count from ${table}`);
  const bytes = counted.rows[0].count * (2 * dimensions + BYTES_PER_VECTOR);
  const megabytes = Math.min(MAX_MEGABYTES, Math.max(64, Math.ceil(bytes / 1_000_000)));
  await client.query(`select set_config('maintenance_work_mem', '${megabytes}MB', false)
    where (select setting::bigint from pg_settings where name = 'maintenance_work_mem') < ${megabytes * 1_024}`);
  const { neighbours, construction } = indexGraph;
  const [name, indexed] = isHalf(dimensions)
    ? [`${table}_half`, `(vector::halfvec(${dimensions})) halfvec_cosine_ops`]
    : [`${table}_graph`, 'vector vector_cosine_ops'];
  const statement = `create index concurrently ${name} on ${table} using hnsw (${indexed})
    with (m = ${neighbours}, ef_construction = ${construction})`;
  try {
    await client.query(statement);
  } catch (error) {
    // A parallel build needs shared memory, of which containers have little.
    if (!isShortOfMemory(error)) throw error;
    await drop(name);
    await client.query('set max_parallel_maintenance_workers = 0');
    await client.query(statement);
  }
  // Drops the graph of an earlier version; servers of that version then compare all vectors.
  for (const { name: other, valid } of rows) if (valid) await drop(other);
}

/** SQLSTATE `disk_full`, because shared memory is a file, and `out_of_memory`. */
const isShortOfMemory = (error: unknown): boolean =>
  ['53100', '53200'].includes((error as { readonly code?: string }).code ?? '');
