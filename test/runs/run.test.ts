import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { type NumberedEvent, Run, type RunEvent, type RunParts } from '../../src/runs/run.ts';

const event = (text: string): RunEvent => ({ event: 'message', json: JSON.stringify({ text }) });
const never = new AbortController().signal;

function start(produce: RunParts['produce'], grace = Number.POSITIVE_INFINITY): Run {
  return new Run({
    id: 'run',
    ownerId: 'owner',
    kind: 'agent',
    conversationId: null,
    graceMs: grace,
    produce,
    onFailure: (thrown) => ({ event: 'error', json: JSON.stringify({ message: String(thrown) }) }),
  });
}

/** Produces events at the rate of an external clock, until it is aborted. */
const ticking = (made: { count: number }, signal: AbortSignal) =>
  (async function* () {
    for (;;) {
      signal.throwIfAborted();
      yield event(String(++made.count));
      await turn();
    }
  })();

async function all(run: Run, after = 0): Promise<NumberedEvent[]> {
  return Array.fromAsync(run.follow(after, never));
}

describe('readers of a run', () => {
  it('that disconnect at random and resume receive exactly the same events as one that stays', async () => {
    const reading = fc.record({
      /** Number of events each connection delivers before it breaks. */
      connections: fc.array(fc.nat(12), { maxLength: 8 }),
      /** Events that were sent but lost when a connection broke. */
      lost: fc.nat(3),
      pause: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(40),
        fc.nat(3),
        fc.boolean(),
        fc.array(reading, { minLength: 1, maxLength: 3 }),
        async (count, pace, fails, readings) => {
          const run = start(async function* () {
            for (let number = 1; number <= count; number++) {
              for (let pause = 0; pause < pace; pause++) await turn();
              yield event(`piece ${number}`);
            }
            if (fails && count > 0) throw new Error('The model is down.');
          });
          const steady = all(run);
          const broken = readings.map(async ({ connections, lost, pause }) => {
            const received: NumberedEvent[] = [];
            for (const length of connections) {
              const leaving = new AbortController();
              let taken = 0;
              const sent: NumberedEvent[] = [];
              for await (const each of run.follow(received.length, leaving.signal)) {
                sent.push(each);
                if (++taken > length) break;
              }
              received.push(...sent.slice(0, Math.max(0, sent.length - lost)));
              for (let wait = 0; wait < pause; wait++) await turn();
            }
            return [...received, ...(await all(run, received.length))];
          });
          const expected = await steady;
          expect(expected.map(({ number }) => number)).toEqual(expected.map((_, index) => index + 1));
          expect(expected).toHaveLength(fails && count > 0 ? count + 1 : count);
          for (const received of await Promise.all(broken)) expect(received).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('apply back-pressure: the run is never far ahead of the fastest reader', async () => {
    const made = { count: 0 };
    const run = start((signal) => ticking(made, signal));
    const slow = run.follow(0, never);
    await slow.next();
    await expect.poll(() => made.count).toBeGreaterThan(256);
    const ahead = made.count;
    expect(ahead).toBeLessThan(300);
    await sleep(20);
    expect(made.count).toBe(ahead);
    for (let taken = 0; taken < 200; taken++) await slow.next();
    await expect.poll(() => made.count).toBeGreaterThan(ahead);
    await run.cancel();
    await slow.return();
  });

  it('apply back-pressure by bytes, too', async () => {
    const made = { count: 0 };
    const large = 'x'.repeat(100_000);
    const run = start(async function* (signal) {
      for (; ; made.count++) {
        signal.throwIfAborted();
        yield event(large);
        await turn();
      }
    });
    const slow = run.follow(0, never);
    await slow.next();
    await sleep(30);
    expect(made.count).toBeLessThan(20);
    await run.cancel();
    await slow.return();
  });

  it('pause a run when they leave, and continue it when they return', async () => {
    const made = { count: 0 };
    const run = start((signal) => ticking(made, signal), 60_000);
    const gone = run.follow(0, never);
    await gone.next();
    await gone.return();
    await sleep(50);
    const ahead = made.count;
    expect(ahead).toBeLessThan(300);
    const back = run.follow(1, never);
    for (let taken = 0; taken < 200; taken++) await back.next();
    await expect.poll(() => made.count).toBeGreaterThan(ahead);
    await run.cancel();
    await back.return();
  });

  it('are not needed by a resumable run, whose buffer stays limited', async () => {
    const made = { count: 0 };
    const large = 'x'.repeat(500_000);
    const run = start(async function* (signal) {
      for (; made.count < 100; made.count++) {
        signal.throwIfAborted();
        yield event(large);
      }
    });
    await sleep(30);
    expect(made.count).toBeLessThan(20);
    expect(await all(run)).toHaveLength(100);
  });

  it('that are slow do not delay a faster one', async () => {
    const run = start(async function* () {
      for (let number = 1; number <= 1000; number++) yield event(String(number));
    });
    const lagging = run.follow(0, never);
    await lagging.next();
    expect(await all(run)).toHaveLength(1000);
    expect(await Array.fromAsync(lagging)).toHaveLength(999);
  });

  it('get an error for an unknown event id', async () => {
    const run = start(async function* () {
      yield event('only');
    });
    await run.ended;
    expect(await all(run, 1)).toEqual([]);
    await expect(all(run, 2)).rejects.toThrow(/has 1 events; event 2 does not exist/);
  });

  it('end at once when they leave while no event arrives', async () => {
    const run = start(async function* (signal) {
      yield event('a');
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const leaving = new AbortController();
    const reader = run.follow(0, leaving.signal);
    await reader.next();
    const waiting = reader.next();
    leaving.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await run.cancel();
  });
});

describe('a run', () => {
  const hanging: RunParts['produce'] = async function* (signal) {
    yield event('begun');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('inner'))));
  };

  it('that is cancelled ends at once with the reason', async () => {
    const run = start(hanging);
    const read = all(run);
    await turn();
    await run.cancel();
    expect(run.record).toMatchObject({ status: 'cancelled', events: 2, endedAt: expect.any(Date) });
    const [, last] = await read;
    expect(last).toMatchObject({ event: 'error', json: expect.stringContaining('The run was cancelled.') });
    await run.cancel();
    expect(run.record.events).toBe(2);
  });

  it('that ignores its abort signal is not waited for', async () => {
    const run = start(async function* () {
      yield event('begun');
      await new Promise(() => {});
    });
    await turn();
    await run.cancel();
    expect(run.record.status).toBe('cancelled');
  });

  it('whose readers have left continues for the grace time, and then ends', async () => {
    const run = start(hanging, 60);
    const leave = async () => {
      for await (const _ of run.follow(0, never)) break;
    };
    await leave();
    await sleep(30);
    await leave();
    await sleep(40);
    expect(run.record.status).toBe('running');
    await run.ended;
    expect(run.record.status).toBe('cancelled');
    expect((await all(run)).at(-1)?.json).toContain('did not reconnect');
  });

  it('without grace time ends with its last reader', async () => {
    const run = start(hanging, 0);
    for await (const _ of run.follow(0, never)) break;
    await run.ended;
    expect(run.record.status).toBe('cancelled');
  });

  it('that is resumable continues without readers', async () => {
    const run = start(async function* () {
      for (let number = 1; number <= 1000; number++) yield event(String(number));
    });
    for await (const _ of run.follow(0, never)) break;
    await run.ended;
    expect(run.record).toMatchObject({ status: 'ended', events: 1000 });
  });

  it('that fails before its first event throws to its reader', async () => {
    const run = start(async function* () {
      yield* await Promise.reject<RunEvent[]>(new ServiceError('provider_failed', 'The model is down.'));
    });
    await expect(all(run)).rejects.toThrow('The model is down.');
    expect(run.failedBeforeFirstEvent).toBe(true);
  });
});
