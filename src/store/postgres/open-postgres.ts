import { sql, type Transaction } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { nameOfDatabase } from '../name-of-database.ts';
import type { ProcessRole } from '../other-servers.ts';
import { refuseIncompleteCopy } from '../sql/copied-store.ts';
import type { Database } from '../sql/database.ts';
import { transactOn } from '../sql/documents/ingestion-transactions.ts';
import type { Tables } from '../sql/schema.ts';
import type { IndexedQuery } from '../sql/search/nearest-indexed.ts';
import type { NearestList } from '../sql/search/packed-hits.ts';
import { writerName } from './cluster-members.ts';
import { type CommonSettings, recordSettings } from './common-settings.ts';
import { createDatabaseState } from './database-state.ts';
import { updateFullText } from './full-text/postgres-full-text.ts';
import { type JoinedServer, joinServers, WAIT_FOR_TURN } from './join-servers.ts';
import { lastKnown, type MigrateOptions, migratePostgres, stateOfPostgres } from './migrate.ts';
import { openConnections } from './postgres-dialect.ts';
import { postgresSql } from './postgres-sql.ts';
import { callOn, overOneState } from './search/call-on.ts';
import { createSearchCache, type Reading } from './search/reading.ts';
import { createSharedState } from './shared-state/shared-state.ts';
import { recordVectorIndexKind, type VectorIndexKind } from './vector-index-kind.ts';

export interface PostgresOptions {
  /** `postgres://…`, or `postgresql:///name?host=/folder/of/the/socket`. */
  readonly url: string;
  /** Number of connections for reading. */
  readonly readers?: number;
  /** Whether the vector index belongs to this process only, so that no other process may use the database. */
  readonly isAlone?: boolean;
  /** Whether this process only copies the records: no server may use the database meanwhile. */
  readonly isCopying?: boolean;
  /** Searches the vector index if it is in this database (pgvector). */
  readonly nearestIndexed?: (reading: Reading, query: IndexedQuery) => Promise<NearestList>;
  readonly schema?: Omit<MigrateOptions, 'begin'>;
  /** Time limits for queries that override the defaults. */
  readonly answerWithinMs?: Partial<AnswerLimits>;
  /** Purpose of this process and, below, the version of the program; other processes can see both. */
  readonly role?: ProcessRole;
  readonly version?: string;
  /** Settings that must be the same for all processes on the database. */
  readonly settings?: CommonSettings;
}

interface AnswerLimits {
  /** For reads. PostgreSQL then cancels the query, and its connection remains usable. */
  readonly reading: number;
  /** Additional time for PostgreSQL to cancel a read, after which its connection is considered dead. */
  readonly grace: number;
  /** For writes, including the wait for the write lock; not during startup, because migrations may take any time. */
  readonly writing: number;
  /** For the state of work in progress. */
  readonly progress: number;
  /** For heartbeats and other queries of cluster membership. */
  readonly presence: number;
}

/**
 * Limits for a database that vanishes without closing its connections, e.g. after a failover, behind a firewall, or
 * when its machine hangs: the operating system notices after a quarter of an hour, or never.
 */
const ANSWER_WITHIN_MS: AnswerLimits = {
  reading: 120_000,
  grace: 5_000,
  writing: 600_000,
  progress: 30_000,
  presence: 10_000,
};
const OLDEST_SERVER = 150_000;

/**
 * Opens a PostgreSQL database, creating or migrating its schema first. All writes of the process go through one
 * connection. As with SQLite, only one transaction at a time, across all processes, changes the records, so that a
 * transaction that reads before it writes needs no further locks.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, readers = 8, isAlone = false, isCopying = false, role, version, schema, nearestIndexed } = options;
  const name = nameOfDatabase(url);
  const within = { ...ANSWER_WITHIN_MS, ...options.answerWithinMs };
  let isOpen = false;
  // No limit for a copy, which reads and writes whole tables.
  const readWithin = () => (isCopying ? undefined : within.reading + within.grace);
  const readSession = () => `${READ_ONLY}; set statement_timeout = ${isCopying ? 0 : within.reading}`;
  const state = createDatabaseState();
  const reader = openConnections({
    name,
    url,
    size: readers,
    isPipelined: true,
    session: readSession,
    answerWithinMs: readWithin,
    // Checked before a search could use data cached before a failover.
    onConnect: async (query) => (isOpen ? state.check(query) : undefined),
  });
  // A separate pool, so that progress can be written while transactions wait for the write lock.
  const progress = openConnections({ name, url, size: 2, answerWithinMs: () => within.progress });
  let server: JoinedServer | undefined;
  const session = () => `
    select set_config('citewell.server', '${server?.key ?? ''}', false),
      set_config('application_name', '${server ? writerName(server.key) : 'citewell'}', false), ${WRITER_LIMITS}`;
  const writeWithin = () => (isOpen && !isCopying ? within.writing : undefined);
  const first = () => (isOpen ? WAIT_FOR_TURN : undefined);
  const writer = openConnections({ name, url, size: 1, session, first, answerWithinMs: writeWithin });
  const close = async () => {
    await reader.destroy();
    await writer.destroy();
    await progress.destroy();
    await server?.leave();
  };
  try {
    await refuseUnusable(writer, reader, name);
    await migratePostgres(writer, name, schema);
    const vectorIndex: VectorIndexKind = nearestIndexed === undefined ? 'chroma' : 'pgvector';
    const knowsSchema = lastKnown(schema?.steps);
    const own = { isAlone, isCopying, knowsSchema, vectorIndex, ...(role && { role }), ...(version && { version }) };
    server = await joinServers({ name, url, answerWithinMs: within.presence, state, ...own });
    // Checked again, because the schema may have been changed before other servers could see this one.
    await stateOfPostgres(writer, name, schema?.steps);
    if (!isCopying) await refuseIncompleteCopy(writer, name);
    await sql.raw(session()).execute(writer);
    if (!isCopying) {
      const { key } = server;
      await writer.transaction().execute(async (transaction) => {
        const { settings = {} } = options;
        await recordSettings(transaction, { key, name, role: role ?? 'server', version: version ?? '', settings });
        await recordVectorIndexKind(transaction, vectorIndex);
      });
    }
  } catch (error) {
    await close();
    throw error;
  }
  isOpen = true;
  const source = { reader, cache: createSearchCache() };
  state.onRestart(() => {
    source.cache = createSearchCache();
  });
  const forget = () => source.cache.states.forget();
  addTransactionHooks(writer, { finalStep: updateFullText, after: forget });
  return {
    writer,
    transact: transactOn(writer),
    reader,
    problem: server.problem,
    search: {
      call: callOn(source),
      dialect: postgresSql,
      ...(nearestIndexed && { nearestIndexed: overOneState(source, nearestIndexed) }),
    },
    shared: server,
    sharedState: createSharedState({ database: progress, reader }, server.key),
    close,
  };
}

const READ_ONLY = 'set session characteristics as transaction isolation level repeatable read, read only';
/**
 * A transaction holds the lock that all servers need for writing, so it must end if its process is suspended or its
 * machine vanishes. By default, the system would notice the latter only after two hours.
 */
const WRITER_LIMITS = Object.entries({
  idle_in_transaction_session_timeout: '1min',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');
const MAX_CLOCK_DIFFERENCE_S = 2;

type Writer = ReturnType<typeof openConnections>;

/** Throws ServiceError if this PostgreSQL server, or a pooler in front of it, is unsuitable for the records. */
export async function refuseUnusable(writer: Writer, reader: Writer, name: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding`.execute(writer);
  const [server] = rows;
  if (server === undefined || server.version < OLDEST_SERVER) {
    throw new ServiceError('store_failed', `The server of ${name} is older than PostgreSQL 15. Use a newer one.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new ServiceError(
      'store_failed',
      `The database ${name} has the encoding ${server.encoding}. Create it with: encoding 'UTF8' template template0`,
    );
  }
  await refusePooler(writer, reader);
  await refuseClockDifference(reader, name);
}

/** Detects a transaction pooler: two open connections have the same backend pid only if they share a server session. */
export async function refusePooler(writer: Writer, reader: Writer): Promise<void> {
  const pidOf = async (database: Writer) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database)).rows[0]?.pid;
  if ((await pidOf(writer)) !== (await pidOf(reader))) return;
  throw new ServiceError(
    'store_failed',
    'CITEWELL_DATABASE_URL leads to a connection pooler that can use a different session for each transaction, such ' +
      'as PgBouncer with pool_mode = transaction. Citewell needs session locks: use pool_mode = session, or connect to ' +
      'PostgreSQL directly.',
  );
}

async function refuseClockDifference(reader: Writer, name: string): Promise<void> {
  const before = Date.now();
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp()) as now`.execute(reader);
  const after = Date.now();
  const now = (rows[0]?.now ?? 0) * 1000;
  const differenceSeconds = Math.max(before - now, now - after) / 1000;
  if (differenceSeconds <= MAX_CLOCK_DIFFERENCE_S) return;
  throw new ServiceError(
    'store_failed',
    `The clocks of this machine and of the database ${name} are ${differenceSeconds.toFixed(1)} s apart; at most ` +
      `${MAX_CLOCK_DIFFERENCE_S} s are allowed, as versions and tasks have times. Synchronise both, for example with NTP.`,
  );
}

interface TransactionHooks {
  readonly finalStep: (transaction: Transaction<Tables>) => Promise<void>;
  readonly after: () => void;
}

/** Makes every transaction run `finalStep` as its final step, and calls `after` when it has ended. */
function addTransactionHooks(writer: Writer, { finalStep, after }: TransactionHooks): void {
  const transaction = writer.transaction.bind(writer);
  writer.transaction = () => {
    const builder = transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) =>
      execute(async (running) => {
        const result = await work(running);
        await finalStep(running);
        return result;
      }).finally(after);
    return builder;
  };
}
