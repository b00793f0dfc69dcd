import { afterAll, expect, it } from 'vitest';
import { createPreparationWorkers } from '../../../../src/ingest/prepare-in-worker.ts';
import { readThrough } from './support.ts';
import { textSamples } from './text-samples.ts';

const workers = createPreparationWorkers({ workers: 1, timeoutMs: 30_000, memoryMb: 1_024 });
afterAll(() => workers.close());

it.each(Object.entries(textSamples))('%s is read when it is intact', async (name, make) => {
  expect(await readThrough(workers, name, make())).toMatchObject({
    kind: 'read',
    text: expect.stringContaining('ferry'),
  });
});
