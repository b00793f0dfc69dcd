import { afterAll, describe, it } from 'vitest';
import { createPreparationWorkers } from '../../../../src/ingest/prepare-in-worker.ts';
import { mutations } from './mutations.ts';
import { officeSamples } from './samples.ts';
import { readThrough } from './support.ts';

const workers = createPreparationWorkers({ workers: 1, timeoutMs: 120_000, memoryMb: 1_024 });
afterAll(() => workers.close());

describe('two hundred changed copies of a file', () => {
  it.each(Object.entries(officeSamples))('%s are each read or refused with a reason', async (fileName, make) => {
    for (const changed of mutations(make(), { seed: 4_711, count: 200 })) await readThrough(workers, fileName, changed);
  });
});
