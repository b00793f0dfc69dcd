import { sql, type Transaction } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { nameOfDatabase } from '../name-of-database.ts';
import type { ProcessRole } from '../other-servers.ts';
import { refuseIncompleteCopy } from '../sql/copied-store.ts';
import type { Database } from '../sql/database.ts';
import { transactOn } from '../sql/documents/ingestion-transactions.ts';
import type { Tables } from '../sql/schema.ts';
import type { NearestList } from '../sql/search/nearest-chunks.ts';
import type { IndexedQuery } from '../sql/search/nearest-indexed.ts';
import { writerName } from './cluster-members.ts';
import { createDatabaseState } from './database-state.ts';
import { settleFullText } from './full-text/postgres-full-text.ts';
import { type JoinedServer, joinServers, WAIT_FOR_TURN } from './join-servers.ts';
import { lastKnown, type MigrateOptions, migratePostgres, stateOfPostgres } from './migrate.ts';
import { openConnections } from './postgres-dialect.ts';
import { postgresSql } from './postgres-sql.ts';
import { callOn, overOneState } from './search/call-on.ts';
import { createSearchCache, type Reading } from './search/reading.ts';
import { type AlikeSettings, settleSettings } from './settings-of-servers.ts';
import { createSharedState } from './shared-state/shared-state.ts';
import { settleVectorIndex, type VectorIndexKind } from './vector-index-kind.ts';

export interface PostgresOptions {
  /** `postgres://…`, or `postgresql:///name?host=/folder/of/the/socket`. */
  readonly url: string;
  /** Number of connections for reading. */
  readonly readers?: number;
  /** Whether the vector index is of this process only, so that no other one may use the database. */
  readonly isAlone?: boolean;
  /** Whether this process only copies the records: no server may use the database meanwhile. */
  readonly isCopying?: boolean;
  /** Searches a vector index that is in this database. */
  readonly nearestIndexed?: (reading: Reading, query: IndexedQuery) => Promise<NearestList>;
  readonly schema?: Omit<MigrateOptions, 'begin'>;
  /** How long a query may take, in place of the usual limits. */
  readonly answerWithinMs?: Partial<AnswerLimits>;
  /** What this process is for, and the version of the program, for others to see. */
  readonly role?: ProcessRole;
  readonly version?: string;
  /** What must be alike for all processes of the database. */
  readonly settings?: AlikeSettings;
}

interface AnswerLimits {
  /** Of one that reads. The server ends it then, and its connection can be kept. */
  readonly reading: number;
  /** A server that has not ended it by so much later is taken for gone. */
  readonly grace: number;
  /** Of one that writes, after the start: a migration may take any time. It includes the wait for its turn. */
  readonly writing: number;
  /** Of one that tells progress. */
  readonly progress: number;
  /** Of one by which this server is seen by the others. */
  readonly presence: number;
}

/**
 * A database that is gone without a word, as after a failover, behind a firewall or when its machine hangs, must not
 * hold what waits for it: the system notices after a quarter of an hour, or never.
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
 * connection, and one transaction of all processes at a time changes the records, as with SQLite, so that a transaction
 * that reads before it writes needs no further locks.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, readers = 8, isAlone = false, isCopying = false, role, version, schema, nearestIndexed } = options;
  const name = nameOfDatabase(url);
  const within = { ...ANSWER_WITHIN_MS, ...options.answerWithinMs };
  let isOpen = false;
  // A copy reads and writes whole tables.
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
    // Before a search uses what was kept of the state before a failover.
    onConnect: async (query) => (isOpen ? state.check(query) : undefined),
  });
  // Work in progress is told while others wait for their turn to write.
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
    // The schema may have been changed before others could see this server.
    await stateOfPostgres(writer, name, schema?.steps);
    if (!isCopying) await refuseIncompleteCopy(writer, name);
    await sql.raw(session()).execute(writer);
    if (!isCopying) {
      const { key } = server;
      await writer.transaction().execute(async (transaction) => {
        const { settings = {} } = options;
        await settleSettings(transaction, { key, name, role: role ?? 'server', version: version ?? '', settings });
        await settleVectorIndex(transaction, vectorIndex);
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
  withinTransactions(writer, { last: settleFullText, after: forget });
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
 * A transaction has the lock that all servers write under, so that of a process that was stopped, or of a machine that
 * vanished, must end: by default the system notices the latter only after two hours.
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

/** Throws ServiceError where this server, or what is before it, cannot hold the records. */
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
  await refuseOtherClock(reader, name);
}

/** The pid of a connection differs from that of another one that is open, unless a pooler passes both on in turns. */
export async function refusePooler(writer: Writer, reader: Writer): Promise<void> {
  const pidOf = async (database: Writer) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database)).rows[0]?.pid;
  if ((await pidOf(writer)) !== (await pidOf(reader))) return;
  throw new ServiceError(
    'store_failed',
    'CITEWELL_DATABASE_URL leads to a pooler that gives every transaction another session, such as PgBouncer with ' +
      'pool_mode = transaction. Citewell holds locks of a session: use pool_mode = session, or the address of PostgreSQL itself.',
  );
}

async function refuseOtherClock(reader: Writer, name: string): Promise<void> {
  const before = Date.now();
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp()) as now`.execute(reader);
  const after = Date.now();
  const now = (rows[0]?.now ?? 0) * 1000;
  const apart = Math.max(before - now, now - after) / 1000;
  if (apart <= MAX_CLOCK_DIFFERENCE_S) return;
  throw new ServiceError(
    'store_failed',
    `The clocks of this machine and of the database ${name} are ${apart.toFixed(1)} s apart; at most ` +
      `${MAX_CLOCK_DIFFERENCE_S} s are allowed, as versions and tasks have times. Synchronise both, for example with NTP.`,
  );
}

interface Around {
  readonly last: (transaction: Transaction<Tables>) => Promise<void>;
  readonly after: () => void;
}

/** Lets `last` run at the end of each transaction, within it, and `after` when it has ended. */
function withinTransactions(writer: Writer, { last, after }: Around): void {
  const transaction = writer.transaction.bind(writer);
  writer.transaction = () => {
    const builder = transaction();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) =>
      execute(async (running) => {
        const result = await work(running);
        await last(running);
        return result;
      }).finally(after);
    return builder;
  };
}
