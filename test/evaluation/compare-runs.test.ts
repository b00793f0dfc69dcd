import { describe, expect, it } from 'vitest';
import { compareRuns, significantLosses } from '../../src/evaluation/compare-runs.ts';

const cases = (...values: readonly number[]) =>
  values.map((value, index) => ({ id: `q${index}`, text: `Question ${index}`, scores: { 'ndcg@10': value } }));

describe('two runs', () => {
  it('are compared query by query, the greatest loss first', () => {
    const { shared, scores } = compareRuns(cases(1, 0.5, 0.25, 0), cases(0, 0.5, 0, 1));
    expect(shared).toBe(4);
    expect(scores).toHaveLength(1);
    expect(scores[0]).toMatchObject({ score: 'ndcg@10', wins: 1, losses: 2, before: 0.4375, now: 0.375 });
    expect(scores[0]?.changes.map(({ id }) => id)).toEqual(['q0', 'q2', 'q3']);
  });

  it('are compared on shared queries only, and list the others', () => {
    const { shared, onlyBefore, onlyNow, scores } = compareRuns(cases(1, 1, 1), cases(0, 1).slice(1));
    expect({ shared, onlyBefore, onlyNow }).toEqual({ shared: 1, onlyBefore: 2, onlyNow: 0 });
    expect(scores[0]).toMatchObject({ pairs: 1, before: 1, now: 1 });
  });

  it('show a loss as significant only when there are enough of them', () => {
    const few = compareRuns(cases(1, 1, 1), cases(0, 0, 0));
    expect(significantLosses(few)).toEqual([]);
    const many = compareRuns(cases(...Array(10).fill(1)), cases(...Array(10).fill(0)));
    expect(significantLosses(many).map(({ score }) => score)).toEqual(['ndcg@10']);
    expect(significantLosses(compareRuns(cases(...Array(10).fill(0)), cases(...Array(10).fill(1))))).toEqual([]);
  });
});
