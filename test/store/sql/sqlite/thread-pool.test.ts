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
  it('starts further threads only when all others are lent, up to its limit', async () => {
    const { start, started, closed } = fakeThreads();
    const pool = createThreadPool([start()], { max: 3, start });
    const first = await pool.acquire();
    pool.release(first);
    expect([await pool.acquire(), started.length]).toEqual([first, 1]);
    const [second, third] = [await pool.acquire(), await pool.acquire()];
    expect(started).toEqual([first, second, third]);
    const waiting = pool.acquire();
    pool.release(second);
    expect([await waiting, started.length]).toEqual([second, 3]);
    await pool.close();
    expect(closed).toEqual([0, 1, 2]);
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
