import { afterAll, describe, it } from 'vitest';
import { createPreparationWorkers } from '../../../../src/ingest/prepare-in-worker.ts';
import { readThrough } from './support.ts';
import { allSamples } from './text-samples.ts';

describe('a file with a wrong extension', () => {
  const workers = createPreparationWorkers({ workers: 1, timeoutMs: 120_000, memoryMb: 1_024 });
  afterAll(() => workers.close());

  it.each(Object.entries(allSamples))('%s is read by its content or refused with a reason', async (name, make) => {
    const bytes = make();
    for (const wrong of ['pdf', 'docx', 'zip', 'txt', 'json', 'eml', 'png', 'xls', 'epub', 'p7s', 'html', 'bin'])
      await readThrough(workers, `${name.replaceAll('.', '-')}.${wrong}`, bytes);
  });
});
