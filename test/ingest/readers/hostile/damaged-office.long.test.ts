import { afterAll, describe, expect, it } from 'vitest';
import { createPreparationWorkers } from '../../../../src/ingest/prepare-in-worker.ts';
import { mutations } from './mutations.ts';
import { officeSamples } from './samples.ts';
import { readThrough } from './support.ts';

const workers = createPreparationWorkers({ workers: 1, timeoutMs: 30_000, memoryMb: 1_024 });
afterAll(() => workers.close());

describe.each(Object.entries(officeSamples))('%s', (fileName, make) => {
  it('is read when it is intact', async () => {
    expect(await readThrough(workers, fileName, make())).toMatchObject({
      kind: 'read',
      text: expect.stringContaining('The ferry leaves the harbour'),
    });
  });

  it('is read in part or refused with a reason when truncated anywhere', async () => {
    const whole = make();
    for (let tenth = 0; tenth < 10; tenth++)
      await readThrough(workers, fileName, whole.slice(0, Math.floor((whole.length * tenth) / 10)));
  });

  it('is read or refused with a reason when bytes of it are changed', async () => {
    for (const changed of mutations(make(), { seed: fileName.charCodeAt(2) + fileName.length, count: 25 }))
      await readThrough(workers, fileName, changed);
  });

  it('is read or refused with a reason when a range of it is zeroed', async () => {
    const whole = make();
    for (let part = 0; part < 4; part++) {
      const changed = whole.slice();
      changed.fill(0, (whole.length * part) / 4, (whole.length * (part + 0.5)) / 4);
      await readThrough(workers, fileName, changed);
    }
  });
});
