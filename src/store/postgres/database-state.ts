import type { RunQuery } from './serialise-queries.ts';

/** Tracks which database, in which state, the connections of this process have reached. */
export interface DatabaseState {
  /**
   * Called on each new connection, before anything is read over it. `heartbeat` says whether the database still has the last
   * heartbeat of this process (`checkHeartbeat`).
   */
  check(query: RunQuery, heartbeat?: 'present' | 'earlier' | 'missing'): Promise<void>;
  /** Reports that the database has lost writes that this process may have seen. */
  reverted(): void;
  /** Calls the listener when data that was read may no longer be in the database; also after every server restart. */
  onRestart(listener: () => void): void;
  /** Calls the listener when the state of the database does not continue those that this process has seen. */
  onReverted(listener: () => void): void;
}

/**
 * Identifies the database: a promoted replica begins a new timeline, and a restore yields a new database or new tables.
 * The start time is read too, because a restart may be on files from an earlier time.
 */
const IDENTITY = `
  select concat_ws(' ', (select system_identifier from pg_control_system()),
      left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), (select oid from pg_database where datname = current_database()),
      to_regclass('cluster_changes')::oid) as database,
    pg_postmaster_start_time()::text as started`;
const STARTED = `select null as database, pg_postmaster_start_time()::text as started`;

export function createDatabaseState(): DatabaseState {
  const restartListeners = new Set<() => void>();
  const revertListeners = new Set<() => void>();
  let known: { readonly database: string | null; readonly started: string } | undefined;
  /** Start time at the last check with a `heartbeat`; checks without one may have noticed a restart earlier. */
  let startedAtHeartbeat: string | undefined;
  const restarted = () => {
    for (const listener of restartListeners) listener();
  };
  const reverted = () => {
    restarted();
    for (const listener of revertListeners) listener();
  };
  return {
    reverted,
    onRestart: (listener) => void restartListeners.add(listener),
    onReverted: (listener) => void revertListeners.add(listener),
    async check(query, heartbeat) {
      const previous = known;
      // Some providers deny part of this query. The transaction ids of the change feed then reveal most other cases.
      const { rows } = await query({ text: IDENTITY })
        .catch(() => query({ text: STARTED }))
        .catch(() => ({ rows: [] }));
      known =
        rows[0] === undefined ? previous : { ...rows[0], database: rows[0].database ?? previous?.database ?? null };
      const hasRestarted = previous !== undefined && known?.started !== previous.started;
      const isFirst = startedAtHeartbeat === undefined;
      const hasRestartedSinceHeartbeat = !isFirst && heartbeat !== undefined && known?.started !== startedAtHeartbeat;
      if (heartbeat !== undefined) startedAtHeartbeat = known?.started;
      const isOther = typeof previous?.database === 'string' && known?.database !== previous.database;
      if (isOther || heartbeat === 'earlier' || (heartbeat === 'missing' && hasRestartedSinceHeartbeat)) reverted();
      else if (hasRestarted) restarted();
    },
  };
}
