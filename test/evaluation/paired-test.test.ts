import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePairs } from '../../src/evaluation/paired-test.ts';

/** Seeded random numbers between 0 and 1. */
const randoms = (seed: number) => () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return seed / 0x7fffffff;
};

describe('the paired test', () => {
  it('computes the exact p-value for a few pairs', () => {
    // Of 2^5 sign assignments only the two with all signs equal are as extreme.
    expect(comparePairs([1, 1, 1, 1, 1]).pValue).toBe(2 / 32);
    // Of 2^3 sign assignments of 1, 2 and 4, the sum is at least 5 away from 0 in 4: ±(4+2+1) and ±(4+2-1).
    expect(comparePairs([-1, 2, 4]).pValue).toBe(4 / 8);
  });

  it('counts better and worse pairs, and averages over all', () => {
    expect(comparePairs([0.5, 0, -0.25, 0.75])).toMatchObject({ pairs: 4, wins: 2, losses: 1, meanDifference: 0.25 });
  });

  it('reports no difference for equal values', () => {
    expect(comparePairs([0, 0, 0])).toEqual({ pairs: 3, wins: 0, losses: 0, meanDifference: 0, pValue: 1 });
    expect(comparePairs([]).pValue).toBe(1);
  });

  it('agrees with the sign test when all differences have one size', () => {
    // 40 pairs, 28 of them better: twice the upper tail of the binomial distribution at 28 is 0.0166.
    const { pValue } = comparePairs([...Array(28).fill(0.5), ...Array(12).fill(-0.5)]);
    expect(pValue).toBeGreaterThan(0.012);
    expect(pValue).toBeLessThan(0.021);
  });

  it('agrees with the t-test for many normal differences', () => {
    const next = randoms(7);
    const normal = () => Math.sqrt(-2 * Math.log(next() || 1e-9)) * Math.cos(2 * Math.PI * next());
    const raw = Array.from({ length: 200 }, normal);
    const mean = raw.reduce((sum, value) => sum + value, 0) / raw.length;
    const deviation = Math.sqrt(raw.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (raw.length - 1));
    // Shifted so that t is exactly 1.972, the critical value for 0.05 at 199 degrees of freedom.
    const moved = raw.map((value) => value - mean + (1.972 * deviation) / Math.sqrt(raw.length));
    expect(comparePairs(moved).pValue).toBeCloseTo(0.05, 2);
  });

  it('has the stated rate of false positives', () => {
    const next = randoms(3);
    const trials = 400;
    let found = 0;
    for (let trial = 0; trial < trials; trial++) {
      const differences = Array.from({ length: 12 }, () => next() - next());
      if (comparePairs(differences).pValue < 0.1) found += 1;
    }
    expect(found / trials).toBeGreaterThan(0.06);
    expect(found / trials).toBeLessThan(0.14);
  });

  it('is deterministic and symmetric in the sign', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { maxLength: 24 }), (differences) => {
        const { pValue } = comparePairs(differences);
        expect(comparePairs(differences).pValue).toBe(pValue);
        expect(comparePairs(differences.map((difference) => -difference)).pValue).toBe(pValue);
        expect(pValue).toBeGreaterThan(0);
        expect(pValue).toBeLessThanOrEqual(1);
      }),
      { numRuns: 30 },
    );
  });
});
