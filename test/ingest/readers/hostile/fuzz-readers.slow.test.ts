import { expect, it } from 'vitest';
import { type Fault, fuzzReaders } from '../../../../scripts/fuzz-readers/fuzz-readers.ts';
import { allSamples } from './text-samples.ts';

it('files of every format that were changed at random end as documents or are refused with a reason', async () => {
  const faults: Omit<Fault, 'bytes'>[] = [];
  const report = await fuzzReaders({
    samples: allSamples,
    count: 80,
    seed: 4_711,
    timeoutMs: 120_000,
    onFault: ({ fileName, number, what }) => faults.push({ fileName, number, what }),
  });
  expect(faults).toEqual([]);
  expect(Object.values(report.outcomes).reduce((sum, each) => sum + each, 0)).toBe(80);
  expect(report.memory.end.live - report.memory.warm.live).toBeLessThan(20);
});
