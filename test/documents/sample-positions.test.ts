import { expect, it } from 'vitest';
import { samplePositions } from '../../src/documents/sample-positions.ts';

it.each<[number, number, readonly number[]]>([
  [0, 4, []],
  [3, 4, [0, 1, 2]],
  [4, 4, [0, 1, 2, 3]],
  [10, 4, [0, 1, 2, 6]],
  [10, 1, [0]],
])('of %i positions, at most %i are sampled', (count, max, sample) => {
  expect(samplePositions(count, max)).toEqual(sample);
});

it('reaches the end of however long a list', () => {
  const sample = samplePositions(40_000, 128);
  expect([sample.length, sample[63], sample.at(-1)]).toEqual([128, 63, 39_376]);
});
