import { expect, it } from 'vitest';
import { seededBits, seededUniform } from '../../src/shared/seeded-random.ts';

const take = (next: () => number, count: number) => Array.from({ length: count }, next);

it('gives the same numbers for a seed on every machine', () => {
  // What is learned from a corpus, its communities and tests of significance depend on them.
  expect(take(seededBits(1), 3)).toEqual([2693262067, 11749833, 2265367787]);
  expect(take(seededBits(1), 20)).not.toEqual(take(seededBits(2), 20));
});

it('spreads uniform numbers over [0, 1)', () => {
  const numbers = take(seededUniform(7), 10_000);
  const tenths = Map.groupBy(numbers, (number) => Math.floor(10 * number));
  expect([...tenths.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const { length } of tenths.values()) expect(Math.abs(length - 1_000)).toBeLessThan(150);
});
