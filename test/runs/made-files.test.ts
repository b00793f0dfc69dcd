import { expect, it, onTestFinished, vi } from 'vitest';
import { InProcessMadeFiles } from '../../src/runs/in-process-made-files.ts';
import type { MadeFiles, MadeFilesSettings } from '../../src/runs/made-files.ts';
import { SharedMadeFiles } from '../../src/runs/shared-made-files.ts';
import { describeEngines } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';

const OWNER = 'a person';
const file = (name: string, size = 3) => ({ name, mediaType: 'text/csv', bytes: new Uint8Array(size).fill(7) });

describeEngines('Made files', (engine) => {
  async function open(settings?: MadeFilesSettings): Promise<MadeFiles> {
    if (engine.name === 'SQLite') return new InProcessMadeFiles(settings);
    const { sharedState } = await engine.openTestStore();
    if (sharedState === undefined) throw new Error('The state should be shared.');
    const files = new SharedMadeFiles(sharedState.files, () => {}, settings);
    onTestFinished(() => files.close());
    return files;
  }

  it('are kept for their owner alone', async () => {
    const files = await open();
    const id = await files.keep(OWNER, [file('out/a.csv'), file('out/b.csv')]);
    expect(await files.get(OWNER, id, 'out/b.csv')).toMatchObject({
      name: 'out/b.csv',
      mediaType: 'text/csv',
      bytes: new Uint8Array([7, 7, 7]),
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const [owner, run, name] of [
      ['somebody else', id, 'out/a.csv'],
      [OWNER, 'no run', 'out/a.csv'],
      [OWNER, id, 'out/c.csv'],
    ] as const) {
      await expect(files.get(owner, run, name)).rejects.toMatchObject({ code: 'not_found' });
    }
    await files.removeOfOwner('somebody else');
    await files.get(OWNER, id, 'out/b.csv');
    await files.removeOfOwner(OWNER);
    await expect(files.get(OWNER, id, 'out/b.csv')).rejects.toThrow('run the code again');
  });

  it('are dropped after their time', async () => {
    const files = await open({ retentionMs: 300, maxBytes: 10 });
    const id = await files.keep(OWNER, [file('a')]);
    await expect.poll(() => files.get(OWNER, id, 'a').catch(({ code }) => code), PATIENT).toBe('not_found');
  });

  it('give way to newer ones when room is needed, the oldest first, but never the newest', async () => {
    const files = await open({ retentionMs: 600_000, maxBytes: 10 });
    const first = await files.keep(OWNER, [file('a', 6)]);
    const second = await files.keep(OWNER, [file('a', 6)]);
    await expect(files.get(OWNER, first, 'a')).rejects.toThrow('no file a');
    expect((await files.get(OWNER, second, 'a')).bytes).toHaveLength(6);
    const third = await files.keep(OWNER, [file('a', 300), file('b', 300)]);
    await expect(files.get(OWNER, second, 'a')).rejects.toThrow('no file a');
    expect((await files.get(OWNER, third, 'b')).bytes).toHaveLength(300);
    const small = [await files.keep(OWNER, [file('a', 5)]), await files.keep(OWNER, [file('a', 5)])];
    for (const id of small) expect((await files.get(OWNER, id, 'a')).bytes).toHaveLength(5);
  });
});

it('expired files in memory make room', async () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const files = new InProcessMadeFiles({ retentionMs: 1_000, maxBytes: 10 });
  const old = await files.keep(OWNER, [file('a', 10)]);
  vi.advanceTimersByTime(1_001);
  await expect(files.get(OWNER, old, 'a')).rejects.toThrow('no file a');
  const ids = [await files.keep(OWNER, [file('a', 5)]), await files.keep(OWNER, [file('a', 5)])];
  for (const id of ids) await files.get(OWNER, id, 'a');
});
