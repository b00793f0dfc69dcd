import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { ServiceError } from '../../errors.ts';
import type { SharedRecords } from '../sql/database.ts';
import { LEADER, LOCKS } from './baseline/cluster-tables.ts';
import { type ChangeFeed, openChangeFeed } from './change-feed.ts';
import { type Announced, announce, endSilent, forgetOwn, listMembers, lostSign, takeLock } from './cluster-members.ts';
import { createDatabaseState, type DatabaseState } from './database-state.ts';
import { type Ask, oneAtATime } from './one-at-a-time.ts';
import { createPostgresCounters } from './postgres-counters.ts';
import { toServiceError } from './postgres-errors.ts';
import { inSharedTurn } from './shared-turns.ts';

export interface JoinOptions extends Announced {
  /** Without its password, for messages. */
  readonly name: string;
  readonly url: string;
  /** Time between two signs of life. */
  readonly beatMs?: number;
  /** After this, a connection whose other end is gone without a word is replaced. */
  readonly answerWithinMs?: number;
  /** Of which database this process has seen what; by default no other connections tell. */
  readonly state?: DatabaseState;
}

/** This server among those that use the database. */
export interface JoinedServer extends SharedRecords {
  /** Its number, by which its work is known as long as it runs. */
  readonly key: number;
  /** Why others may take this server for a dead one, for users. */
  problem(): string | undefined;
  leave(): Promise<void>;
}

const CONNECT_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;
/** When the database restarts, all servers lose their connections; nobody judges before the others could come back. */
const GRACE_MS = 5_000;
/** The work of a server that was killed is taken over after at most two such intervals and the three seconds of the view. */
const BEAT_MS = 1_000;

/** Makes this server known to the others, over a connection of its own that is renewed when it breaks. */
export async function joinServers(options: JoinOptions): Promise<JoinedServer> {
  const {
    name,
    url,
    beatMs = BEAT_MS,
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
  let judgesFrom = 0;
  let beatAt = Date.now();
  let mayLeadUntil = 0;
  let hasTold = false;
  let feed: ChangeFeed;
  let connection = await connect(url, name, answerWithinMs);
  const query: Ask = (each) => connection.query(each);
  const { key, ...entered } = await announce(query, undefined, own).catch(async (error: unknown) => {
    await connection.end();
    throw toServiceError(error, name);
  });
  let { seenAt } = entered;
  try {
    await refuseSeveral(query, key, { ...own, name });
    await state.check(query, 'present');
    // Of those that have resigned, there may be no other.
    const prunes = () => isLeading || hasResigned;
    feed = await openChangeFeed({ query, server: key, prunes, onOlder: state.reverted });
    state.onReverted(feed.beginAnew);
  } catch (error) {
    await query({ text: 'delete from cluster_servers where key = $1', values: [key] }).catch(() => {});
    await connection.end();
    throw error;
  }

  const releaseLead = async () => {
    // A session that has ended has no lock any more.
    await query({ text: `select pg_advisory_unlock(${LOCKS}, ${LEADER})` }).catch(() => {});
  };
  const lead = async () => {
    if (hasResigned) return;
    const has = await takeLock(query, LEADER);
    // Resigned while the database was asked.
    if (hasResigned) return has ? releaseLead() : undefined;
    isLeading = has;
    // The session that ended may still have the lock.
    if (has || performance.now() >= judgesFrom) hasLed = has;
    tellLead();
  };
  const tellLead = () => {
    if (isLeading) mayLeadUntil = performance.now() + GRACE_MS;
    // A connection that broke for a moment is no reason to stop what will go on.
    const isTold = isLeading || (hasLed && performance.now() < mayLeadUntil);
    if (isTold === hasTold) return;
    hasTold = isTold;
    for (const { begun, ended } of leadListeners) isTold ? begun() : ended();
  };
  await lead();

  const reconnect = async () => {
    judgesFrom = performance.now() + GRACE_MS;
    const former = connection;
    connection = await connect(url, name, answerWithinMs);
    await state.check(query, await lostSign(query, key, seenAt));
    // First the new one, so that the others never see this server without any; the end of one that hangs is not awaited.
    const entered = announce(query, key, own).finally(() => void former.end());
    seenAt = (await entered).seenAt;
  };

  const beat = async () => {
    if (failure === undefined) seenAt = (await announce(query, key, own)).seenAt;
    else await reconnect();
    // As after a suspension of the whole machine, during which the others could give no sign of life either.
    if (Date.now() - beatAt > GRACE_MS) judgesFrom = performance.now() + GRACE_MS;
    beatAt = Date.now();
    const isJudging = performance.now() >= judgesFrom;
    if (isJudging || hasLed) await lead();
    failure = undefined;
    if (!isJudging) return;
    // Refused where servers log in as different users; the locks of a stopped one then stay until it goes on or ends.
    await endSilent(query).catch(() => {});
    const { rows } = await query({
      text: 'select 1 from cluster_servers where key not in (select key from cluster_servers_running) limit 1',
    });
    if (rows.length > 0) for (const listener of listeners) listener();
  };

  const work = (async () => {
    while (!leaving.signal.aborted) {
      await sleep(beatMs, undefined, { ref: false, signal: leaving.signal }).catch(() => {});
      if (!leaving.signal.aborted) {
        await beat().catch((error: unknown) => {
          failure = error;
          isLeading = false;
          tellLead();
        });
      }
    }
  })();

  const counters = createPostgresCounters(url);

  return {
    key,
    counters,
    inTurn: (turn, work) => inSharedTurn(query, turn, work),
    problem: () => (failure === undefined ? undefined : `The database ${name} does not answer.`),

    async inWork(database, work, whose) {
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

    async forgetGone(database) {
      await sql`delete from cluster_servers where key not in (select key from cluster_servers_running)`.execute(
        database,
      );
      await sql`delete from cluster_claims where server_key not in (select key from cluster_servers)`.execute(database);
    },

    members: listMembers,
    async resign() {
      const isToRelease = isLeading;
      hasResigned = true;
      isLeading = false;
      hasLed = false;
      tellLead();
      if (isToRelease) await releaseLead();
    },

    async forgetOwnWork(database) {
      await sql`delete from cluster_claims where server_key = ${key}`.execute(database);
    },

    onReverted: state.onReverted,
    onGone: (listener) => void listeners.add(listener),
    onChange: (listener) => feed.onChange(listener),
    announce: (change) => feed.announce(change),
    leads: () => isLeading,
    onLead(begun, ended) {
      leadListeners.add({ begun, ended });
      if (hasTold) begun();
    },

    async leave() {
      leaving.abort();
      await Promise.all([feed.close(), counters.close(), work]);
      // Over a connection that gives no answer, this would wait in vain; the others see its end.
      if (failure === undefined) await forgetOwn(query, key).catch(() => {});
      await connection.end();
    },
  };
}

/**
 * A machine that vanished must not keep its lock for the two hours of the system's default. Not as a parameter of the
 * start, which PgBouncer refuses.
 */
const KEEP_ALIVE = `select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false),
  set_config('tcp_keepalives_count', '2', false)`;

interface ServerConnection {
  readonly query: Ask;
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
  // The next beat finds out and connects again.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(KEEP_ALIVE);
  } catch (error) {
    await client.end().catch(() => {});
    throw toServiceError(error, name);
  }
  return { query: oneAtATime((each) => client.query(each)), end: () => client.end().catch(() => {}) };
}

async function refuseSeveral(
  query: Ask,
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
        'What one writes the other would not find: set it alike for all servers of the database.',
    );
  }
  if (!(isAlone || rows[0].is_alone)) return;
  const whose = isAlone ? 'this one' : 'that one';
  throw new ServiceError(
    'conflict',
    `Another server uses the database ${name}, and ${whose} has a Chroma of its own, which the other cannot search. ` +
      'For several servers on one database set CHROMA_URL to the same Chroma for all of them, or ' +
      'CITEWELL_VECTOR_INDEX=pgvector. A command uses the server of its data folder: set CITEWELL_DATA_DIR to that.',
  );
}

/** Lets one transaction at a time change the records, whichever server it is of. */
export const WAIT_FOR_TURN = `select pg_advisory_xact_lock(${LOCKS}, 0)`;
