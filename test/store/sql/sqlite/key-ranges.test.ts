import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countKeys, fromKeyRanges, inBatches, toKeyRanges } from '../../../../src/store/sql/sqlite/key-ranges.ts';

const keys = fc.uniqueArray(fc.integer({ min: 1, max: 200 }));

it.each([
  [[], []],
  [[5], [[5, 5]]],
  [[1, 2, 3], [[1, 3]]],
  [
    [9, 1, 2, 7, 8],
    [
      [1, 2],
      [7, 9],
    ],
  ],
])('encodes %j as the ranges %j', (given, expected) => {
  expect(toKeyRanges(given)).toEqual(expected);
});

it('round-trips keys in order, and counts them', () => {
  fc.assert(
    fc.property(keys, (given) => {
      const ranges = toKeyRanges(given);
      expect(fromKeyRanges(ranges)).toEqual([...given].sort((one, two) => one - two));
      expect(countKeys(ranges)).toBe(given.length);
    }),
  );
});

it('splits a list into batches that add up to it', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 20 }), (given, size) => {
      const batches = inBatches(given, size);
      expect(batches.flat()).toEqual(given);
      for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(size);
    }),
  );
});
