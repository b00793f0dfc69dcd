import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { type LeaseRequest, type PooledSlot, type PoolOptions, SlotPool } from '../../src/sandbox/pool.ts';
import type { StartingSlot } from '../../src/sandbox/slot.ts';

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

/** A pool whose slots start when they are told to, once `hold` was called. */
function heldPool(options: Partial<PoolOptions<CountedSlot>> = {}) {
  const held: (() => void)[] = [];
  let count = 0;
  let isHeld = false;
  const { pool } = countedPool({
    async start() {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const number = ++count;
      if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
      return { number, end, ended };
    },
    ...options,
  });
  const hold = () => {
    isHeld = true;
  };
  const startHeld = () => {
    isHeld = false;
    for (const start of held) start();
  };
  return { pool, hold, startHeld, count: () => count };
}

async function abandon(pool: SlotPool<CountedSlot>, request: LeaseRequest): Promise<void> {
  const aborting = new AbortController();
  const abandoned = pool.lease(request, aborting.signal);
  aborting.abort(new Error('not any more'));
  await expect(abandoned).rejects.toThrow('not any more');
}

describe('a pool of slots', () => {
  it('starts nothing before its first use, and then keeps one spare slot', async () => {
    const { pool, started } = countedPool();
    expect(pool.size).toBe(0);
    const lease = await pool.lease({}, never);
    await vi.waitFor(() => expect(started).toHaveLength(2));
    lease.release(true);
  });

  it('starts a slot with the knowledge whether a call waits for it', async () => {
    const starting: StartingSlot[] = [];
    const { pool } = countedPool({
      async start(each) {
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        return { number: starting.push(each), ended, end };
      },
    });
    await pool.lease({}, never);
    await vi.waitFor(() => expect(starting.map(({ isAwaited }) => isAwaited)).toEqual([true, false]));
    await pool.lease({}, never);
    expect(starting.map(({ isAwaited }) => isAwaited)).toEqual([true, true]);
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

  it('reports its load: calls, kept sessions and waiting calls', async () => {
    const { pool } = countedPool();
    expect(pool.occupancy).toEqual({ slots: 2, busy: 0, idle: 0, waiting: 0 });
    const session = await pool.lease({ session: 'a' }, never);
    const call = await pool.lease({}, never);
    const third = pool.lease({}, never);
    await vi.waitFor(() => expect(pool.occupancy).toEqual({ slots: 2, busy: 2, idle: 0, waiting: 1 }));
    call.release(true);
    (await third).release(true);
    session.release(true);
    await vi.waitFor(() => expect(pool.occupancy).toMatchObject({ busy: 0, waiting: 0 }));
    expect(pool.occupancy.idle).toBeGreaterThan(0);
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
    const restarted = await pool.lease({ session: 'a', reset: true }, never);
    expect([restarted.slot.number === first.slot.number, restarted.sessionLost]).toEqual([false, false]);
    restarted.release(true);
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

  it('restarts a session at once while a call of it is running, whose slot then ends', async () => {
    const { pool, started } = countedPool();
    const running = await pool.lease({ session: 'a' }, never);
    const restarted = await pool.lease({ session: 'a', reset: true }, never);
    expect([restarted.isNew, restarted.sessionLost, running.isCurrent(), restarted.isCurrent()]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    running.release(true);
    await vi.waitFor(() => expect(started[running.slot.number - 1]?.isEnded()).toBe(true));
    restarted.release(true);
    const next = await pool.lease({ session: 'a' }, never);
    expect([next.slot.number, next.isNew]).toEqual([restarted.slot.number, false]);
    next.release(true);
  });

  it('restarts a session also after a call of it that waited longer', async () => {
    const { pool } = countedPool({ slots: 1 });
    const running = await pool.lease({ session: 'a' }, never);
    const [first, restarted] = [pool.lease({ session: 'a' }, never), pool.lease({ session: 'a', reset: true }, never)];
    running.release(true);
    const before = (await first).slot.number;
    (await first).release(true);
    expect([(await restarted).isNew, (await restarted).slot.number === before]).toEqual([true, false]);
    (await restarted).release(true);
  });

  it('takes a slot from the user who has the most', async () => {
    const { pool } = countedPool({ slots: 3 });
    const use = async (session: string, user: string) => {
      const lease = await pool.lease({ session, user }, never);
      lease.release(true);
      return lease.isNew;
    };
    for (const [session, user] of [
      ['b1', 'b'],
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
    ] as const)
      await use(session, user);
    expect(await use('b1', 'b')).toBe(false);
    expect(await use('b2', 'b')).toBe(true);
    expect([await use('b1', 'b'), await use('a3', 'a')]).toEqual([false, false]);
  });

  it('serves a user without slots before one who has some', async () => {
    const { pool } = countedPool({ queued: 4 });
    const held = await Promise.all([pool.lease({ user: 'a' }, never), pool.lease({ user: 'a' }, never)]);
    const served: string[] = [];
    const waiting = ['a', 'a', 'b'].map(async (user) => {
      const lease = await pool.lease({ user }, never);
      served.push(user);
      return lease;
    });
    held[0]?.release(true);
    (await waiting[2])?.release(true);
    held[1]?.release(true);
    for (const lease of await Promise.all(waiting.slice(0, 2))) lease.release(true);
    expect(served).toEqual(['b', 'a', 'a']);
  });

  it('gives the last place of the queue to a user who has none in it', async () => {
    const { pool } = countedPool({ queued: 2 });
    const held = await Promise.all([pool.lease({}, never), pool.lease({}, never)]);
    const [first, second] = ['a', 'a'].map((user) => pool.lease({ user }, never));
    const refused = expect(second).rejects.toMatchObject({ code: 'rate_limited' });
    const other = pool.lease({ user: 'b' }, never);
    await refused;
    await expect(pool.lease({ user: 'b' }, never)).rejects.toMatchObject({ code: 'rate_limited' });
    for (const lease of held) lease.release(true);
    for (const lease of await Promise.all([first, other])) lease?.release(true);
  });

  it('does not wait for a starting slot on behalf of a call that is aborted', async () => {
    const { promise, reject } = Promise.withResolvers<CountedSlot>();
    const { pool } = countedPool({ start: () => promise });
    await abandon(pool, { session: 'a' });
    reject(new Error('too late'));
  });

  it('tells the call after one that was abandoned while its slot started that the session was lost', async () => {
    const { pool, hold, startHeld } = heldPool({ slots: 1 });
    (await pool.lease({ session: 'a' }, never)).release(false);
    hold();
    await abandon(pool, { session: 'a' });
    startHeld();
    const next = await pool.lease({ session: 'a' }, never);
    expect([next.isNew, next.sessionLost]).toEqual([true, true]);
    next.release(true);
    const later = await pool.lease({ session: 'a' }, never);
    expect([later.isNew, later.sessionLost]).toEqual([false, false]);
    later.release(true);
  });

  it('counts slots of abandoned calls until they have started and can be ended', async () => {
    const { pool, hold, startHeld, count } = heldPool();
    hold();
    for (const session of [undefined, 'a', 'b', undefined, 'c']) await abandon(pool, session ? { session } : {});
    expect([count(), pool.size]).toEqual([2, 2]);
    const waiting = pool.lease({}, never);
    startHeld();
    (await waiting).release(true);
  });

  it('does not use a spare slot that was started before packages were installed', async () => {
    let version = 1;
    const { pool, started } = countedPool({ version: () => version });
    pool.warmUp();
    version = 2;
    const lease = await pool.lease({ session: 'a' }, never);
    expect(lease.slot.number).toBe(2);
    await vi.waitFor(() => expect(started[0]?.isEnded()).toBe(true));
    lease.release(true);
  });

  it('never exceeds its number of slots', async () => {
    const { pool } = countedPool({ queued: 50 });
    let max = 0;
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const lease = await pool.lease(index % 3 === 0 ? { session: `s${index % 4}` } : {}, never);
        max = Math.max(max, pool.size);
        await sleep(1);
        lease.release(index % 5 !== 0);
      }),
    );
    expect(max).toBeLessThanOrEqual(2);
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
    await abandon(pool, {});
    for (const lease of leases) lease.release(true);
    (await pool.lease({}, never)).release(true);
  });

  it('reports why a slot did not start, and retries for the next call', async () => {
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
