import type { Ask } from './one-at-a-time.ts';

/** Which database the connections of this process have led to. */
export interface DatabaseState {
  /**
   * Asked on each new connection, before anything is read over it. `sign` says what the database lost of
   * this process.
   */
  check(query: Ask, sign?: 'present' | 'earlier' | 'missing'): Promise<void>;
  /** The database was found to have lost what this process may have seen. */
  reverted(): void;
  /** Calls the listener when what was read may not be in the database any more, after each restart of its server too. */
  onRestart(listener: () => void): void;
  /** Calls the listener when the database is at another state than the ones that this process has seen led to. */
  onReverted(listener: () => void): void;
}

/**
 * A promoted replica begins a new timeline, and a restored database is another one, or its tables are. A restart alone
 * may be one on files of an earlier time.
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
  /** At the last check of a sign; connections without one may have noticed the restart first. */
  let startedAtSign: string | undefined;
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
    async check(query, sign) {
      const former = known;
      // Not every provider lets one ask for all of it. The numbers of transactions then tell most of the rest.
      const { rows } = await query({ text: IDENTITY })
        .catch(() => query({ text: STARTED }))
        .catch(() => ({ rows: [] }));
      known = rows[0] === undefined ? former : { ...rows[0], database: rows[0].database ?? former?.database ?? null };
      const hasRestarted = former !== undefined && known?.started !== former.started;
      const isFirst = startedAtSign === undefined;
      const hasRestartedSinceSign = !isFirst && sign !== undefined && known?.started !== startedAtSign;
      if (sign !== undefined) startedAtSign = known?.started;
      const isOther = typeof former?.database === 'string' && known?.database !== former.database;
      if (isOther || sign === 'earlier' || (sign === 'missing' && hasRestartedSinceSign)) reverted();
      else if (hasRestarted) restarted();
    },
  };
}
