import { createHash } from 'node:crypto';
import { Pool } from 'pg';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { SharedCounters } from '../shared-counters.ts';
import { COUNTERS } from './baseline/cluster-tables.ts';

export interface PostgresCounters extends SharedCounters {
  close(): Promise<void>;
}

/** Few suffice, because an increment takes a fraction of a millisecond. Opened on first use. */
const CONNECTIONS = 2;
/** After this time, the event is counted in the memory of this process instead. */
const ANSWER_WITHIN_MS = 2_000;
const CLEAR_EVERY_MS = 60_000;
const MAX_KEY = 200;
// The limiter only counts; callers enforce their own limits.
const UNLIMITED = 2 ** 31 - 1;

export function createPostgresCounters(url: string): PostgresCounters {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    application_name: 'citewell',
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const shared = { points: UNLIMITED, duration: 0, keyPrefix: '' };
  const limiter = new RateLimiterPostgres({
    ...shared,
    storeClient: pool,
    storeType: 'pool',
    tableName: COUNTERS,
    tableCreated: true,
    clearExpiredByTimeout: false,
    insuranceLimiter: new RateLimiterMemory(shared),
  });
  const clearing = setInterval(
    () => void pool.query(`delete from ${COUNTERS} where expire < $1`, [Date.now()]).catch(() => {}),
    CLEAR_EVERY_MS,
  ).unref();

  return {
    async add(name, seconds) {
      const { consumedPoints, msBeforeNext } = await limiter.penalty(toKey(name), 1, { customDuration: seconds });
      return { count: consumedPoints, endsInMs: msBeforeNext };
    },
    async undo(name, seconds) {
      await limiter.reward(toKey(name), 1, { customDuration: seconds });
    },
    async forget(name) {
      await limiter.delete(toKey(name));
    },
    async get(name) {
      return (await limiter.get(toKey(name)))?.consumedPoints ?? 0;
    },
    async list(prefix) {
      const { rows } = await pool.query<{ key: string; points: number }>(
        `select key, points from ${COUNTERS} where starts_with(key, $1) and key >= $1 and expire > $2`,
        [prefix, Date.now()],
      );
      return new Map(rows.map(({ key, points }) => [key, points]));
    },
    async close() {
      clearInterval(clearing);
      if (!pool.ending) await pool.end();
    },
  };
}

/** Hashes names that are too long for the column: they may contain client input such as an e-mail address. */
const toKey = (name: string): string =>
  name.length <= MAX_KEY ? name : `${name.slice(0, 60)} ${createHash('sha256').update(name).digest('base64url')}`;
