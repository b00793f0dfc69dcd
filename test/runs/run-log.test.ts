import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/runs/run.ts';
import { defaultRunLogSettings, RunLog, type RunLogSettings } from '../../src/runs/run-log.ts';

const log = (settings: Partial<RunLogSettings> = {}) => new RunLog({ ...defaultRunLogSettings, ...settings });

async function ended(runs: RunLog, { owner = 'owner', characters = 1 } = {}): Promise<Run> {
  const run = runs.start({
    ownerId: owner,
    kind: 'agent',
    conversationId: null,
    isResumable: true,
    async *produce() {
      yield { event: 'message', json: 'x'.repeat(characters) };
    },
    onFailure: () => ({ event: 'error', json: '{}' }),
  });
  await run.ended;
  return run;
}

const isKept = (runs: RunLog) => (run: Run) => {
  try {
    return runs.get(run.id, run.ownerId) === run;
  } catch {
    return false;
  }
};

describe('runs', () => {
  it('are visible only to their owner', async () => {
    const runs = log();
    const run = await ended(runs);
    expect(runs.get(run.id, 'owner')).toBe(run);
    expect(() => runs.get(run.id, 'somebody else')).toThrow(/There is no run/);
    expect(runs.list('owner')).toMatchObject([{ id: run.id }]);
    expect(runs.list('somebody else')).toEqual([]);
  });

  it('are dropped some time after their end', async () => {
    const runs = log({ retentionMs: 30 });
    const run = await ended(runs);
    expect(isKept(runs)(run)).toBe(true);
    await sleep(60);
    expect(runs.list('owner')).toEqual([]);
  });

  it('are dropped above the maximum number, oldest first', async () => {
    const runs = log({ maxRuns: 2 });
    const made = [await ended(runs), await ended(runs), await ended(runs)];
    expect(made.map(isKept(runs))).toEqual([false, true, true]);
  });

  it('are dropped above the maximum size, oldest first, but never the one that just ended', async () => {
    const runs = log({ maxCharacters: 100 });
    const made = [
      await ended(runs, { characters: 40 }),
      await ended(runs, { characters: 50 }),
      await ended(runs, { characters: 30 }),
    ];
    expect(made.map(isKept(runs))).toEqual([false, true, true]);
    const huge = await ended(runs, { characters: 500 });
    expect([...made, huge].map(isKept(runs))).toEqual([false, false, false, true]);
  });

  it('that failed before their first event are not stored', async () => {
    const runs = log();
    const run = runs.start({
      ownerId: 'owner',
      kind: 'rag',
      conversationId: null,
      isResumable: false,
      // biome-ignore lint/correctness/useYield: it fails before it has anything to say
      async *produce() {
        throw new Error('down');
      },
      onFailure: () => ({ event: 'error', json: '{}' }),
    });
    await run.ended;
    expect(isKept(runs)(run)).toBe(false);
  });

  it('end with a reason when the log is closed', async () => {
    const runs = log();
    const run = runs.start({
      ownerId: 'owner',
      kind: 'agent',
      conversationId: null,
      isResumable: true,
      async *produce(signal) {
        yield { event: 'message', json: '{}' };
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      onFailure: (thrown) => ({ event: 'error', json: JSON.stringify({ message: String(thrown) }) }),
    });
    await sleep(5);
    await runs.close();
    const events = await Array.fromAsync(run.follow(0, new AbortController().signal));
    expect(events.at(-1)?.json).toContain('The service is stopping');
    expect(runs.list('owner')).toEqual([]);
  });
});
