import { setTimeout as sleep } from 'node:timers/promises';
import { type SharedChange, sharedTopics } from '../other-servers.ts';
import type { RunQuery } from './serialise-queries.ts';

export interface ChangeFeedParts {
  /** Queries over the current connection; rejects if there is none. */
  readonly query: RunQuery;
  /** Key of this server, whose own changes are skipped. */
  readonly server: number;
  /** Whether this server deletes changes that are old enough to have been read by all servers. */
  readonly prunes: () => boolean;
  /** Called when the database has reverted to an earlier state. */
  readonly onOlder?: () => void;
  readonly pollMs?: number;
  readonly pruneMs?: number;
}

export interface ChangeFeed {
  onChange(listener: (change: SharedChange) => void): void;
  /** Notifies the other servers. */
  announce(change: SharedChange): Promise<void>;
  /** Reports that anything may have changed, and continues from the current state of the database. */
  restart(): void;
  close(): Promise<void>;
}

const POLL_MS = 250;
const PRUNE_EVERY_MS = 60_000;
const RETENTION_SECONDS = 600;
/** A server that did not read for this long may have missed rows that were removed. */
const MISSING_AFTER_SECONDS = RETENTION_SECONDS / 2;
/** If more changes than this arrive together, listeners are only told that anything may have changed. */
const MAX_CHANGES_PER_READ = 200;

/** The state of the database up to which changes have been read. */
interface Position {
  readonly snapshot: string;
  /** Clock of the database, in seconds. */
  readonly time: number;
}

/** Polls for changes by other servers a few times per second, starting now. */
export async function openChangeFeed(parts: ChangeFeedParts): Promise<ChangeFeed> {
  const { query, server, prunes, onOlder, pollMs = POLL_MS, pruneMs = PRUNE_EVERY_MS } = parts;
  const listeners = new Set<(change: SharedChange) => void>();
  const closing = new AbortController();
  let position = await currentPosition(query);
  let prunedAt = performance.now();
  let isLost = false;

  const notify = (changes: readonly SharedChange[]) => {
    for (const change of changes) for (const listener of listeners) listener(change);
  };

  const read = async () => {
    if (isLost) {
      position = await currentPosition(query);
      isLost = false;
      return notify(anything);
    }
    const { rows } = await query({ name: 'citewell-changes', text: NEW_CHANGES, values: [position.snapshot, server] });
    const [{ snapshot, time, is_older: isOlder, changes }] = rows;
    // After a failover or a restore, the database may be in an earlier state.
    const hasMissed = isOlder || time - position.time > MISSING_AFTER_SECONDS || changes.length > MAX_CHANGES_PER_READ;
    position = { snapshot, time };
    if (isOlder) onOlder?.();
    notify(hasMissed ? anything : changes.filter(isKnown).map(withoutNull));
  };

  const prune = async () => {
    if (!prunes() || performance.now() - prunedAt < pruneMs) return;
    prunedAt = performance.now();
    await query({ text: OLD_CHANGES, values: [] });
  };

  const work = (async () => {
    while (!closing.signal.aborted) {
      // Nothing is lost without a connection: the next one continues from the same position.
      await read()
        .then(prune)
        .catch(() => {});
      await sleep(pollMs, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  })();

  return {
    onChange: (listener) => void listeners.add(listener),
    async announce({ topic, kind, id }) {
      const text = 'insert into cluster_changes (server_key, topic, kind, id) values ($1, $2, $3, $4)';
      await query({ text, values: [server, topic, kind, id ?? null] });
    },
    restart() {
      isLost = true;
    },
    async close() {
      closing.abort();
      await work;
    },
  };
}

async function currentPosition(query: RunQuery): Promise<Position> {
  const { rows } = await query({ text: `select ${POSITION}` });
  return rows[0];
}

const POSITION = 'pg_current_snapshot()::text as snapshot, extract(epoch from clock_timestamp())::float8 as time';

/**
 * Changes that are visible now but were not at the last position. This includes transactions that were still running
 * then, although later ones have already been read.
 */
const NEW_CHANGES = `
  select ${POSITION}, pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot) as is_older,
    (select coalesce(json_agg(c), '[]') from (
      select topic, kind, id from cluster_changes
      where xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(xid, $1::pg_snapshot)
        and server_key is distinct from $2::bigint
      order by key limit ${MAX_CHANGES_PER_READ + 1}) c) as changes`;

const OLD_CHANGES = `delete from cluster_changes where written_at < clock_timestamp() - interval '${RETENTION_SECONDS} seconds'`;

/** Sent to listeners when it is unknown what has changed. */
const anything: readonly SharedChange[] = [
  { topic: 'documents', kind: 'removed' },
  { topic: 'ingestion_tasks', kind: 'queued' },
  { topic: 'followed_sources', kind: 'changed' },
  { topic: 'prompts', kind: 'changed' },
  { topic: 'vector_spaces', kind: 'changed' },
];

/** A newer version of the program may have other topics. */
const isKnown = ({ topic }: SharedChange): boolean => sharedTopics.includes(topic);

const withoutNull = ({ id, ...change }: SharedChange): SharedChange => ({ ...change, ...(id != null && { id }) });
