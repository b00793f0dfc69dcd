import { describe, expect, it } from 'vitest';
import { askAgain, scoreRows } from '../../src/page/app/views/quality/score-rows.ts';

const difference = (score: string, mean: number, chance: number) => ({
  score,
  pairs: 9,
  wins: 1,
  losses: 1,
  before: 0.5,
  now: 0.5 + mean,
  mean_difference: mean,
  p_value: chance,
});

describe('the scores of an evaluation', () => {
  it('are labelled better or worse only when the difference is significant', () => {
    const rows = scoreRows({
      means: { a: 0.9, b: 0.1, c: 0.6, d: 0.5, e: 1 },
      difference: {
        setup_changes: [],
        shared: 9,
        before: {} as never,
        scores: [
          difference('a', 0.4, 0.01),
          difference('b', -0.4, 0.02),
          difference('c', 0.1, 0.05),
          difference('d', 0, 1),
        ],
      },
    });
    expect(rows.map(({ score, change }) => [score, change])).toEqual([
      ['a', 'better'],
      ['b', 'worse'],
      ['c', 'chance'],
      ['d', 'same'],
      ['e', 'new'],
    ]);
  });

  it('link to the question', () => {
    expect(new URL(askAgain('What & why?'), 'http://localhost').searchParams.get('ask')).toBe('What & why?');
  });
});
