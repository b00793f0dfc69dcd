import { setTimeout as sleep } from 'node:timers/promises';
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
import { refuseOtherServers } from './refuse-other-servers.ts';
import type { RunQuery } from './serialise-queries.ts';
import { serverClaims } from './server-claims.ts';
import { connectServer } from './server-connection.ts';
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
  let connection = await connectServer(url, name, answerWithinMs);
  const query: RunQuery = (each) => connection.query(each);
  const { key, ...entered } = await announce(query, undefined, own).catch(async (error: unknown) => {
    await connection.end();
    throw toServiceError(error, name);
  });
  let { seenAt } = entered;
  try {
    await refuseOtherServers(query, key, { ...own, name });
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
    connection = await connectServer(url, name, answerWithinMs);
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

    ...serverClaims(key),
    members: listMembers,
    async resign() {
      const holdsLeadership = isLeading;
      hasResigned = true;
      isLeading = false;
      hasLed = false;
      notifyLeadership();
      if (holdsLeadership) await releaseLead();
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

/** Serialises transactions that change the records, across all servers. */
export const WAIT_FOR_TURN = `select pg_advisory_xact_lock(${LOCKS}, 0)`;
