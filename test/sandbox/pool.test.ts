import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { type PooledSlot, type PoolOptions, SlotPool } from '../../src/sandbox/pool.ts';

interface CountedSlot extends PooledSlot {
  readonly number: number;
}

const never = new AbortController().signal;
const pools: SlotPool<CountedSlot>[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** A pool of slots that start at once and only count. */
function countedPool(options: Partial<PoolOptions<CountedSlot>> = {}) {
  const started: { readonly slot: CountedSlot; readonly isEnded: () => boolean }[] = [];
  const pool = new SlotPool<CountedSlot>({
    async start() {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      let isEnded = false;
      const slot: CountedSlot = {
        number: started.length + 1,
        ended,
        end() {
          isEnded = true;
          resolve();
        },
      };
      started.push({ slot, isEnded: () => isEnded });
      return slot;
    },
    slots: 2,
    queued: 2,
    queuedMilliseconds: 1_000,
    idleMilliseconds: 60_000,
    ...options,
  });
  pools.push(pool);
  return { pool, started };
}

describe('a pool of slots', () => {
  it('starts nothing before its first use, and then keeps one spare slot', async () => {
    const { pool, started } = countedPool();
    expect(pool.size).toBe(0);
    const lease = await pool.lease({}, never);
    await vi.waitFor(() => expect(started).toHaveLength(2));
    lease.release(true);
  });

  it('gives each call its own slot', async () => {
    const { pool, started } = countedPool();
    const numbers: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      const lease = await pool.lease({}, never);
      numbers.push(lease.slot.number);
      lease.release(true);
    }
    expect(new Set(numbers).size).toBe(5);
    const used = started.filter(({ slot }) => numbers.includes(slot.number));
    await vi.waitFor(() => expect(used.every(({ isEnded }) => isEnded())).toBe(true));
  });

  it('keeps a slot for its session', async () => {
    const { pool } = countedPool();
    const first = await pool.lease({ session: 'a' }, never);
    first.release(true);
    const second = await pool.lease({ session: 'a' }, never);
    expect([second.slot.number, second.sessionLost]).toEqual([first.slot.number, false]);
    second.release(true);
  });

  it('runs the calls of a session one after another', async () => {
    const { pool } = countedPool();
    const first = await pool.lease({ session: 'a' }, never);
    let isSecond = false;
    const second = pool.lease({ session: 'a' }, never).then((lease) => {
      isSecond = true;
      return lease;
    });
    await sleep(20);
    expect(isSecond).toBe(false);
    first.release(true);
    (await second).release(true);
  });

  it('reports a lost session once', async () => {
    const { pool } = countedPool();
    (await pool.lease({ session: 'a' }, never)).release(false);
    const next = await pool.lease({ session: 'a' }, never);
    expect(next.sessionLost).toBe(true);
    next.release(true);
    const later = await pool.lease({ session: 'a' }, never);
    expect(later.sessionLost).toBe(false);
    later.release(true);
  });

  it('restarts a session on request, without reporting a loss', async () => {
    const { pool } = countedPool();
    const first = await pool.lease({ session: 'a' }, never);
    first.release(true);
    const anew = await pool.lease({ session: 'a', reset: true }, never);
    expect([anew.slot.number === first.slot.number, anew.sessionLost]).toEqual([false, false]);
    anew.release(true);
  });

  it('ends the session that was idle longest when slots are needed', async () => {
    const { pool } = countedPool();
    for (const session of ['a', 'b']) (await pool.lease({ session }, never)).release(true);
    (await pool.lease({ session: 'c' }, never)).release(true);
    const b = await pool.lease({ session: 'b' }, never);
    expect(b.sessionLost).toBe(false);
    b.release(true);
    const a = await pool.lease({ session: 'a' }, never);
    expect(a.sessionLost).toBe(true);
    a.release(true);
  });

  it('never exceeds its number of slots', async () => {
    const { pool } = countedPool({ queued: 50 });
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const lease = await pool.lease(index % 3 === 0 ? { session: `s${index % 4}` } : {}, never);
        most = Math.max(most, pool.size);
        await sleep(1);
        lease.release(index % 5 !== 0);
      }),
    );
    expect(most).toBeLessThanOrEqual(2);
  });

  it('refuses calls when the queue is full, and those that waited too long', async () => {
    const { pool } = countedPool({ queued: 1, queuedMilliseconds: 50 });
    const leases = await Promise.all([pool.lease({}, never), pool.lease({}, never)]);
    const waiting = pool.lease({}, never);
    await expect(pool.lease({}, never)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 5 });
    await expect(waiting).rejects.toThrow(/became free within 0.05 s/);
    for (const lease of leases) lease.release(true);
  });

  it('drops a call that is aborted while it waits', async () => {
    const { pool } = countedPool();
    const leases = await Promise.all([pool.lease({}, never), pool.lease({}, never)]);
    const aborting = new AbortController();
    const waiting = pool.lease({}, aborting.signal);
    aborting.abort(new Error('not any more'));
    await expect(waiting).rejects.toThrow('not any more');
    for (const lease of leases) lease.release(true);
    (await pool.lease({}, never)).release(true);
  });

  it('passes on why a slot did not start, and retries for the next call', async () => {
    let isBroken = true;
    const { pool } = countedPool({
      async start() {
        if (isBroken) throw new ServiceError('not_configured', 'broken');
        return { number: 1, end: () => undefined, ended: Promise.resolve() };
      },
    });
    await expect(pool.lease({}, never)).rejects.toThrow('broken');
    await sleep(10);
    isBroken = false;
    expect((await pool.lease({}, never)).slot.number).toBe(1);
  });

  it('detects that an idle slot died', async () => {
    const { pool, started } = countedPool();
    const first = await pool.lease({ session: 'a' }, never);
    first.release(true);
    started[0]?.slot.end();
    await sleep(5);
    const next = await pool.lease({ session: 'a' }, never);
    expect([next.slot.number === 1, next.sessionLost]).toEqual([false, true]);
    next.release(true);
  });

  it('ends slots that are idle too long', async () => {
    const { pool, started } = countedPool({ idleMilliseconds: 40 });
    (await pool.lease({ session: 'a' }, never)).release(true);
    await vi.waitFor(() => expect([pool.size, started.every(({ isEnded }) => isEnded())]).toEqual([0, true]));
  });

  it('ends everything when it is closed, and refuses further calls', async () => {
    const { pool, started } = countedPool();
    await pool.lease({ session: 'a' }, never);
    await pool.close();
    expect(started.every(({ isEnded }) => isEnded())).toBe(true);
    await expect(pool.lease({}, never)).rejects.toMatchObject({ code: 'cancelled' });
  });
});
