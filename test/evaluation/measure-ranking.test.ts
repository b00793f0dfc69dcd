import { describe, expect, it } from 'vitest';
import { measureRanking } from '../../src/evaluation/measure-ranking.ts';
import { meanScores } from '../../src/evaluation/scores.ts';

const gains = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 0],
]);

describe('measureRanking', () => {
  it('gives a perfect ranking a perfect score', () => {
    expect(measureRanking(['a', 'b', 'x'], gains)).toEqual({
      'ndcg@10': 1,
      'mrr@10': 1,
      'hit@1': 1,
      'hit@3': 1,
      'hit@10': 1,
      'recall@10': 1,
      'recall@100': 1,
    });
  });

  it('discounts gains by rank', () => {
    const scores = measureRanking(['c', 'b', 'x', 'a'], gains);
    expect(scores['ndcg@10']).toBeCloseTo((1 / Math.log2(3) + 3 / Math.log2(5)) / (3 + 1 / Math.log2(3)), 12);
    expect(scores).toMatchObject({ 'mrr@10': 0.5, 'hit@1': 0, 'hit@3': 1, 'recall@10': 1 });
  });

  it('considers ten ranks, and a hundred for recall', () => {
    const others = Array.from({ length: 10 }, (_, place) => `x${place}`);
    expect(measureRanking([...others, 'a'], gains)).toMatchObject({
      'ndcg@10': 0,
      'mrr@10': 0,
      'hit@10': 0,
      'recall@10': 0,
      'recall@100': 0.5,
    });
    const many = Array.from({ length: 100 }, (_, place) => `x${place}`);
    expect(measureRanking([...many, 'a'], gains)['recall@100']).toBe(0);
  });

  it('counts a duplicate at its first rank', () => {
    expect(measureRanking(['x', 'x', 'a', 'a', 'b'], gains)).toEqual(measureRanking(['x', 'a', 'b'], gains));
  });

  it('treats a negative judgement as not relevant', () => {
    expect(measureRanking(['spam', 'a'], new Map([...gains, ['spam', -1]]))['mrr@10']).toBe(0.5);
  });
});

describe('meanScores', () => {
  it('averages each score over the cases it applies to', () => {
    const of = (scores: object) => ({ id: '', text: '', scores });
    expect(meanScores([of({ 'hit@1': 1, refused: 1 }), of({ 'hit@1': 0 })])).toEqual({ 'hit@1': 0.5, refused: 1 });
    expect(meanScores([])).toEqual({});
  });
});
