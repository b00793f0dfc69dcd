import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SqliteThread } from '../../../../src/store/sql/sqlite/sqlite-thread.ts';
import { createThreadPool } from '../../../../src/store/sql/sqlite/thread-pool.ts';

/** Threads that do nothing, each with its number, and the numbers of those that were closed. */
function fakeThreads() {
  const closed: number[] = [];
  const started: SqliteThread[] = [];
  const start = (): SqliteThread => {
    const number = started.length;
    const perform = () => Promise.reject(new Error('A fake performs nothing.'));
    const thread = { perform, close: async () => void closed.push(number) };
    started.push(thread);
    return thread;
  };
  return { start, started, closed };
}

describe('a pool of threads', () => {
  it('starts further threads when borrowers have waited, up to its limit', async () => {
    const { start, started, closed } = fakeThreads();
    const pool = createThreadPool([start()], { max: 3, start, patienceMs: 1 });
    const first = await pool.acquire();
    pool.release(first);
    expect([await pool.acquire(), started.length]).toEqual([first, 1]);
    const [second, third] = await Promise.all([pool.acquire(), pool.acquire()]);
    expect(started).toEqual([first, second, third]);
    const waiting = pool.acquire();
    await sleep(5);
    expect(started).toHaveLength(3);
    pool.release(second);
    expect(await waiting).toBe(second);
    await pool.close();
    expect(closed).toEqual([0, 1, 2]);
  });

  it('starts no thread for a borrower that waits briefly, or has left', async () => {
    const { start, started } = fakeThreads();
    const pool = createThreadPool([start()], { max: 3, start, patienceMs: 10 });
    const first = await pool.acquire();
    const waiting = pool.acquire();
    pool.release(first);
    expect(await waiting).toBe(first);
    const leaving = new AbortController();
    const left = pool.acquire(leaving.signal);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    await sleep(20);
    expect(started).toEqual([first]);
    await pool.close();
  });

  it('lends the oldest or the youngest of its idle threads, in whatever order they were released', async () => {
    const { start } = fakeThreads();
    const [first, second, third] = [start(), start(), start()];
    const pool = createThreadPool([first, second, third]);
    const { signal } = new AbortController();
    for (const order of [
      [first, second, third],
      [third, first, second],
    ] as const) {
      expect(await pool.acquire(signal, 'oldest')).toBe(first);
      expect(await pool.acquire()).toBe(third);
      expect(await pool.acquire(signal, 'oldest')).toBe(second);
      for (const thread of order) pool.release(thread);
    }
    await pool.close();
  });

  it('uses only its initial threads when it may not start more', async () => {
    const { start } = fakeThreads();
    const pool = createThreadPool([start()]);
    const only = await pool.acquire();
    const waiting = pool.acquire();
    pool.release(only);
    expect(await waiting).toBe(only);
    await pool.close();
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'store_failed' });
  });
});
