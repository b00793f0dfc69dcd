import { expect, it, onTestFinished } from 'vitest';
import { InProcessRunLog } from '../../src/runs/in-process-run-log.ts';
import type { ReadableRun } from '../../src/runs/run.ts';
import { defaultRunLogSettings, type RunLog, type RunLogSettings, type StartRun } from '../../src/runs/run-log.ts';
import { SharedRunLog } from '../../src/runs/shared-run-log.ts';
import { describeEngines } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';

const never = new AbortController().signal;

async function ended(runs: RunLog, { owner = 'owner', characters = 1 } = {}): Promise<ReadableRun> {
  const run = await runs.start({
    ownerId: owner,
    kind: 'agent',
    conversationId: null,
    isResumable: true,
    async *produce() {
      yield { event: 'message', json: 'x'.repeat(characters) };
    },
    onFailure: () => ({ event: 'error', json: '{}' }),
  });
  // The last event has been received, and so has the end.
  await Array.fromAsync(run.follow(0, never));
  return run;
}

/** Says one thing and waits for its end. */
const hanging = (change: Partial<StartRun> = {}): StartRun => ({
  ownerId: 'owner',
  kind: 'agent',
  conversationId: null,
  isResumable: true,
  async *produce(signal) {
    yield { event: 'message', json: '{}' };
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
  onFailure: (thrown) => ({ event: 'error', json: JSON.stringify({ message: String(thrown) }) }),
  ...change,
});

const isKept = async (runs: RunLog, { id }: ReadableRun) =>
  runs.get(id, 'owner').then(
    () => true,
    () => false,
  );
const kept = (runs: RunLog, made: readonly ReadableRun[]) => Promise.all(made.map((run) => isKept(runs, run)));

describeEngines('Runs', (engine) => {
  async function open(change: Partial<RunLogSettings> = {}): Promise<RunLog> {
    const settings = { ...defaultRunLogSettings, ...change };
    if (engine.name === 'SQLite') return new InProcessRunLog(settings);
    const { sharedState } = await engine.openTestStore();
    if (sharedState === undefined) throw new Error('The state should be shared.');
    const runs = new SharedRunLog(sharedState.runs, settings, () => {});
    onTestFinished(() => runs.close());
    return runs;
  }

  it('are visible only to their owner', async () => {
    const runs = await open();
    const { id } = await ended(runs);
    const run = await runs.get(id, 'owner');
    expect(await run.readRecord()).toMatchObject({ id, kind: 'agent', status: 'ended', events: 1 });
    expect(await Array.fromAsync(run.follow(0, never))).toEqual([{ number: 1, event: 'message', json: 'x' }]);
    await expect(runs.get(id, 'somebody else')).rejects.toThrow(/There is no run/);
    expect(await runs.list('owner')).toMatchObject([{ id }]);
    expect(await runs.list('somebody else')).toEqual([]);
  });

  it('are listed while they run, and refuse events that they do not have', async () => {
    const runs = await open();
    const { id } = await runs.start(hanging({ conversationId: 'talk' }));
    const reader = (await runs.get(id, 'owner')).follow(0, never);
    expect(await reader.next()).toMatchObject({ value: { number: 1, json: '{}' } });
    expect(await runs.list('owner')).toMatchObject([
      { id, conversationId: 'talk', status: 'running', events: 1, endedAt: null },
    ]);
    const run = await runs.get(id, 'owner');
    await expect(run.follow(2, never).next()).rejects.toThrow(/has 1 events; event 2 does not exist/);
    const cancelling = run.cancel();
    expect(await reader.next()).toMatchObject({ value: { number: 2, event: 'error' } });
    await cancelling;
    expect(await run.readRecord()).toMatchObject({ status: 'cancelled' });
    await (await runs.get(id, 'owner')).untilEnded(never);
  });

  it('are dropped some time after their end', async () => {
    const runs = await open({ retentionMs: 1_500 });
    const run = await ended(runs);
    expect(await isKept(runs, run)).toBe(true);
    await expect.poll(() => runs.list('owner'), PATIENT).toEqual([]);
    expect(await isKept(runs, run)).toBe(false);
  });

  it('are dropped above the maximum number, oldest first', async () => {
    const runs = await open({ maxRuns: 2 });
    const made = [await ended(runs), await ended(runs), await ended(runs)];
    await expect.poll(() => kept(runs, made), PATIENT).toEqual([false, true, true]);
  });

  it('are dropped above the maximum size, oldest first, but never the one that just ended', async () => {
    const runs = await open({ maxCharacters: 100 });
    const made: ReadableRun[] = [];
    for (const characters of [40, 50, 30]) made.push(await ended(runs, { characters }));
    await expect.poll(() => kept(runs, made), PATIENT).toEqual([false, true, true]);
    made.push(await ended(runs, { characters: 500 }));
    await expect.poll(() => kept(runs, made), PATIENT).toEqual([false, false, false, true]);
  });

  it('that failed before their first event are not stored', async () => {
    const runs = await open();
    const run = await runs.start(
      hanging({
        isResumable: false,
        // biome-ignore lint/correctness/useYield: it fails before it has anything to say
        async *produce() {
          throw new Error('down');
        },
      }),
    );
    await expect(Array.fromAsync(run.follow(0, never))).rejects.toThrow('down');
    await expect.poll(() => isKept(runs, run), PATIENT).toBe(false);
  });

  it('end and are forgotten with their user', async () => {
    const runs = await open();
    const [old, other] = [await ended(runs), await ended(runs, { owner: 'other' })];
    const running = await runs.start(hanging());
    const reader = running.follow(0, never);
    await reader.next();
    await runs.removeOfOwner('owner');
    await running.untilEnded(never);
    await reader.return();
    expect(await kept(runs, [old, running])).toEqual([false, false]);
    expect(await runs.list('owner')).toEqual([]);
    expect(await runs.list('other')).toMatchObject([{ id: other.id }]);
  });

  it('end with a reason when the log is closed', async () => {
    const runs = await open();
    const run = await runs.start(hanging());
    const reader = run.follow(0, never);
    await reader.next();
    const events = Array.fromAsync(reader);
    const reason =
      engine.name === 'SQLite' ? 'The service is stopping' : 'The server handling this request was stopped';
    await runs.close();
    expect((await events).at(-1)?.json).toContain(reason);
  });
});
