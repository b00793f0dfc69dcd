import { setTimeout as sleep } from 'node:timers/promises';
import { TURNS } from './baseline/cluster-tables.ts';
import type { Ask } from './one-at-a-time.ts';

/** Pauses between tries double from the first to the last, so that many who wait do not keep the database busy. */
const RETRY_MS = { first: 20, last: 80 };
/** After this, as when a server was stopped in its turn, the work is done without it. */
const WAIT_AT_MOST_MS = 10_000;

/**
 * Does work of one name in turn with other servers; those of this server must be in turn already. The lock belongs to the
 * session of the query, so that it ends with its server. Without a database the work is done at once.
 */
export async function inSharedTurn<T>(query: Ask, name: string, work: () => Promise<T>): Promise<T> {
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
    // The work itself meets the problem, or does not need the database.
  }
  try {
    return await work();
  } finally {
    if (has) await call('pg_advisory_unlock').catch(() => {});
  }
}
