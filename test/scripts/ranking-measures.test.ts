import { describe, expect, it } from 'vitest';
import { meanMeasures, measureRanking } from '../../scripts/ranking-measures.ts';

const gains = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 0],
]);

describe('measureRanking', () => {
  it('gives a perfect ranking a perfect score', () => {
    expect(measureRanking(['a', 'b', 'x'], gains)).toEqual({ ndcgAt10: 1, recallAt100: 1, mrrAt10: 1 });
  });

  it('discounts gains by their place', () => {
    const { ndcgAt10, recallAt100, mrrAt10 } = measureRanking(['c', 'b', 'x', 'a'], gains);
    expect(ndcgAt10).toBeCloseTo((1 / Math.log2(3) + 3 / Math.log2(5)) / (3 + 1 / Math.log2(3)), 12);
    expect(recallAt100).toBe(1);
    expect(mrrAt10).toBe(0.5);
  });

  it('looks no further than ten places, and a hundred for recall', () => {
    const others = Array.from({ length: 10 }, (_, place) => `x${place}`);
    expect(measureRanking([...others, 'a'], gains)).toEqual({ ndcgAt10: 0, recallAt100: 0.5, mrrAt10: 0 });
  });

  it('averages over queries', () => {
    const none = { ndcgAt10: 0, recallAt100: 0, mrrAt10: 0 };
    expect(meanMeasures([none, { ndcgAt10: 1, recallAt100: 0.5, mrrAt10: 1 }]).recallAt100).toBe(0.25);
    expect(meanMeasures([])).toEqual(none);
  });
});
