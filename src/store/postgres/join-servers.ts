import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { ServiceError } from '../../errors.ts';
import type { SharedRecords } from '../sql/database.ts';
import { LEADER, LOCKS } from './baseline/cluster-tables.ts';
import { type ChangeFeed, openChangeFeed } from './change-feed.ts';
import {
  type Announced,
  announce,
  checkHeartbeat,
  endSilent,
  forgetOwn,
  listMembers,
  takeLock,
} from './cluster-members.ts';
import { createDatabaseState, type DatabaseState } from './database-state.ts';
import { createPostgresCounters } from './postgres-counters.ts';
import { toServiceError } from './postgres-errors.ts';
import { type RunQuery, serialiseQueries } from './serialise-queries.ts';
import { withSharedLock } from './shared-lock.ts';

export interface JoinOptions extends Announced {
  /** URL of the database without its password, for messages. */
  readonly name: string;
  readonly url: string;
  /** Interval between heartbeats. */
  readonly heartbeatMs?: number;
  /** Time after which an unanswered query fails and the connection is replaced. */
  readonly answerWithinMs?: number;
  /** State of the database as seen by all connections of this process; by default this connection has its own. */
  readonly state?: DatabaseState;
}

/** This server, as a member of the servers that use the database. */
export interface JoinedServer extends SharedRecords {
  /** Key that identifies this server and its tasks while it runs. */
  readonly key: number;
  /** Why other servers may consider this one dead, for users; undefined if there is no reason. */
  problem(): string | undefined;
  leave(): Promise<void>;
}

const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;
/** After a restart of the database, time for all servers to reconnect before any of them may be considered dead. */
const GRACE_MS = 5_000;
/** Work of a killed server is taken over within two intervals plus the three seconds of `cluster_servers_running`. */
const HEARTBEAT_MS = 1_000;

/** Registers this server with the others, over a separate connection that is replaced when it breaks. */
export async function joinServers(options: JoinOptions): Promise<JoinedServer> {
  const {
    name,
    url,
    heartbeatMs = HEARTBEAT_MS,
    answerWithinMs = ANSWER_WITHIN_MS,
    state = createDatabaseState(),
    ...own
  } = options;
  const leaving = new AbortController();
  const listeners = new Set<() => void>();
  const leadListeners = new Set<{ readonly begun: () => void; readonly ended: () => void }>();
  let failure: unknown;
  let isLeading = false;
  let hasLed = false;
  let hasResigned = false;
  let checksOthersFrom = 0;
  let heartbeatAt = Date.now();
  let mayLeadUntil = 0;
  let wasLeader = false;
  let feed: ChangeFeed;
  let connection = await connect(url, name, answerWithinMs);
  const query: RunQuery = (each) => connection.query(each);
  const { key, ...entered } = await announce(query, undefined, own).catch(async (error: unknown) => {
    await connection.end();
    throw toServiceError(error, name);
  });
  let { seenAt } = entered;
  try {
    await refuseSeveral(query, key, { ...own, name });
    await state.check(query, 'present');
    // A server that has resigned still prunes, because it may be the only one.
    const prunes = () => isLeading || hasResigned;
    feed = await openChangeFeed({ query, server: key, prunes, onOlder: state.reverted });
    state.onReverted(feed.restart);
  } catch (error) {
    await query({ text: 'delete from cluster_servers where key = $1', values: [key] }).catch(() => {});
    await connection.end();
    throw error;
  }

  const releaseLead = async () => {
    // If the session has ended, so has its lock.
    await query({ text: `select pg_advisory_unlock(${LOCKS}, ${LEADER})` }).catch(() => {});
  };
  const tryToLead = async () => {
    if (hasResigned) return;
    const has = await takeLock(query, LEADER);
    // `resign` was called while the lock was being requested.
    if (hasResigned) return has ? releaseLead() : undefined;
    isLeading = has;
    // After a reconnect, the previous session of this server may still hold the lock for a moment.
    if (has || performance.now() >= checksOthersFrom) hasLed = has;
    notifyLeadership();
  };
  const notifyLeadership = () => {
    if (isLeading) mayLeadUntil = performance.now() + GRACE_MS;
    // A brief loss of the connection must not stop work that would be resumed immediately.
    const countsAsLeader = isLeading || (hasLed && performance.now() < mayLeadUntil);
    if (countsAsLeader === wasLeader) return;
    wasLeader = countsAsLeader;
    for (const { begun, ended } of leadListeners) countsAsLeader ? begun() : ended();
  };
  await tryToLead();

  const reconnect = async () => {
    checksOthersFrom = performance.now() + GRACE_MS;
    const previous = connection;
    connection = await connect(url, name, answerWithinMs);
    await state.check(query, await checkHeartbeat(query, key, seenAt));
    // Announces over the new connection before closing the old one, so that the server never seems to be gone.
    const entered = announce(query, key, own).finally(() => void previous.end());
    seenAt = (await entered).seenAt;
  };

  const sendHeartbeat = async () => {
    if (failure === undefined) seenAt = (await announce(query, key, own)).seenAt;
    else await reconnect();
    // The machine may have been suspended, and the other servers with it, so they get time to send a heartbeat first.
    if (Date.now() - heartbeatAt > GRACE_MS) checksOthersFrom = performance.now() + GRACE_MS;
    heartbeatAt = Date.now();
    const checksOthers = performance.now() >= checksOthersFrom;
    if (checksOthers || hasLed) await tryToLead();
    failure = undefined;
    if (!checksOthers) return;
    // Fails if servers log in as different roles; the locks of a suspended server then remain until it resumes or ends.
    await endSilent(query).catch(() => {});
    const { rows } = await query({
      text: 'select 1 from cluster_servers where key not in (select key from cluster_servers_running) limit 1',
    });
    if (rows.length > 0) for (const listener of listeners) listener();
  };

  const work = (async () => {
    while (!leaving.signal.aborted) {
      await sleep(heartbeatMs, undefined, { ref: false, signal: leaving.signal }).catch(() => {});
      if (!leaving.signal.aborted) {
        await sendHeartbeat().catch((error: unknown) => {
          failure = error;
          isLeading = false;
          notifyLeadership();
        });
      }
    }
  })();

  const counters = createPostgresCounters(url);

  return {
    key,
    counters,
    runExclusively: (turn, work) => withSharedLock(query, turn, work),
    problem: () => (failure === undefined ? undefined : `The database ${name} does not answer.`),

    async documentsInProgress(database, work, whose) {
      const { rows } = await sql<{ document: number }>`
        select document_key as document from cluster_claims
        where kind = ${work} and server_key in (select key from cluster_servers_running)
          and (${whose !== 'others'} or server_key <> ${key})`.execute(database);
      return rows.map(({ document }) => document);
    },

    async tokenOf(database, work, document) {
      const { rows } = await sql<{ token: number }>`
        select token from cluster_claims
        where kind = ${work} and document_key = ${document} and server_key = ${key}`.execute(database);
      return rows[0]?.token;
    },

    async removeEndedServers(database) {
      await sql`delete from cluster_servers where key not in (select key from cluster_servers_running)`.execute(
        database,
      );
      await sql`delete from cluster_claims where server_key not in (select key from cluster_servers)`.execute(database);
    },

    members: listMembers,
    async resign() {
      const holdsLeadership = isLeading;
      hasResigned = true;
      isLeading = false;
      hasLed = false;
      notifyLeadership();
      if (holdsLeadership) await releaseLead();
    },

    async releaseOwnClaims(database) {
      await sql`delete from cluster_claims where server_key = ${key}`.execute(database);
    },

    onReverted: state.onReverted,
    onGone: (listener) => void listeners.add(listener),
    onChange: (listener) => feed.onChange(listener),
    announce: (change) => feed.announce(change),
    isLeader: () => isLeading,
    onLeadership(begun, ended) {
      leadListeners.add({ begun, ended });
      if (wasLeader) begun();
    },

    async leave() {
      leaving.abort();
      await Promise.all([feed.close(), counters.close(), work]);
      // Skipped on a broken connection, where it would only time out; the others notice that this server has ended.
      if (failure === undefined) await forgetOwn(query, key).catch(() => {});
      await connection.end();
    },
  };
}

/**
 * Releases the lock of a vanished machine within seconds instead of the system's default of two hours. Not sent as
 * startup parameters, which PgBouncer rejects.
 */
const KEEP_ALIVE = `select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),
  set_config('tcp_keepalives_count', '2', false)`;

interface ServerConnection {
  readonly query: RunQuery;
  end(): Promise<void>;
}

async function connect(url: string, name: string, answerWithinMs: number): Promise<ServerConnection> {
  const client = new Client({
    connectionString: url,
    application_name: 'citewell',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: answerWithinMs,
  });
  // The next heartbeat notices the failure and reconnects.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(KEEP_ALIVE);
  } catch (error) {
    await client.end().catch(() => {});
    throw toServiceError(error, name);
  }
  return { query: serialiseQueries((each) => client.query(each)), end: () => client.end().catch(() => {}) };
}

async function refuseSeveral(
  query: RunQuery,
  key: number,
  { isAlone, isCopying = false, vectorIndex = 'chroma', name }: Announced & Pick<JoinOptions, 'name'>,
): Promise<void> {
  const { rows } = await query({
    text: `select bool_or(is_alone) as is_alone, bool_or(is_copying) as is_copying,
       array_agg(vector_index) as vector_indexes from cluster_servers s
     where s.key <> $1 and exists (select 1 from pg_locks l where l.locktype = 'advisory' and l.granted
       and l.classid = ${LOCKS} and l.objid = s.key::oid and l.objsubid = 2
       and l.database = (select oid from pg_database where datname = current_database()))
     having count(*) > 0`,
    values: [key],
  });
  if (rows.length === 0) return;
  if (rows[0].is_copying) {
    throw new ServiceError(
      'conflict',
      `The records of the database ${name} are being copied by "citewell migrate store". Try again when it has ended.`,
    );
  }
  if (isCopying) {
    throw new ServiceError('conflict', `A server uses the database ${name}. Stop all its servers, and try again.`);
  }
  const other = rows[0].vector_indexes.find((kind: string) => kind !== vectorIndex);
  if (other !== undefined) {
    throw new ServiceError(
      'conflict',
      `Another server uses the database ${name} with CITEWELL_VECTOR_INDEX=${other}, this one has ${vectorIndex}. ` +
        "They could not find each other's vectors: set it to the same value for all servers of the database.",
    );
  }
  if (!(isAlone || rows[0].is_alone)) return;
  const holder = isAlone ? 'this one' : 'that one';
  throw new ServiceError(
    'conflict',
    `Another server uses the database ${name}, and ${holder} has a Chroma of its own, which the other cannot search. ` +
      'For several servers on one database set CHROMA_URL to the same Chroma for all of them, or ' +
      'CITEWELL_VECTOR_INDEX=pgvector. A command uses the server of its data folder: set CITEWELL_DATA_DIR to that.',
  );
}

/** Serialises transactions that change the records, across all servers. */
export const WAIT_FOR_TURN = `select pg_advisory_xact_lock(${LOCKS}, 0)`;
