import { setTimeout as sleep } from 'node:timers/promises';
import { TURNS } from './baseline/cluster-tables.ts';
import type { RunQuery } from './serialise-queries.ts';

/** Exponential backoff between tries, so that many waiting servers do not keep the database busy. */
const RETRY_MS = { first: 20, last: 80 };
/** After this time, e.g. because the holder of the lock was suspended, the work is done without the lock. */
const WAIT_AT_MOST_MS = 10_000;

/**
 * Serialises work under this name across servers; the caller must already serialise it within this server. The advisory
 * lock belongs to the database session of `query`, so a server's lock ends with it. If the database is unavailable, the
 * work is done immediately.
 */
export async function withSharedLock<T>(query: RunQuery, name: string, work: () => Promise<T>): Promise<T> {
  const call = async (lock: string): Promise<boolean> => {
    const { rows } = await query({ text: `select ${lock}(${TURNS}, hashtext($1)) as has`, values: [name] });
    return rows[0].has;
  };
  const end = performance.now() + WAIT_AT_MOST_MS;
  let has = false;
  try {
    has = await call('pg_try_advisory_lock');
    for (let pause = RETRY_MS.first; !has && performance.now() < end; pause = Math.min(2 * pause, RETRY_MS.last)) {
      await sleep(pause);
      has = await call('pg_try_advisory_lock');
    }
  } catch {
    // The work itself runs into the same problem, or does not need the database.
  }
  try {
    return await work();
  } finally {
    if (has) await call('pg_advisory_unlock').catch(() => {});
  }
}
