import { describe, expect, it } from 'vitest';
import { fuseScores, MIN_CANDIDATES, scoreShares } from '../../src/retrieval/fuse-scores.ts';
import { toTextScore } from '../../src/store/full-text/text-score.ts';

const near = (id: string, score: number) => ({ id, score });
const matching = (id: string, sum: number) => ({ id, score: toTextScore(sum) });

describe('fuseScores', () => {
  it('sums scores relative to the best, and 0 for a leg without the hit', () => {
    const fused = fuseScores([near('a', 0.8), near('b', 0.4)], [matching('b', 30), matching('c', 15)]);
    expect(fused.map(({ item }) => item.id)).toEqual(['b', 'a', 'c']);
    const scores = fused.map(({ score }) => score);
    expect(scores[0]).toBeCloseTo(0.6 + 0.4 / 2, 12);
    expect(scores[1]).toBeCloseTo(0.4, 12);
    expect(scores[2]).toBeCloseTo(0.6 / 2, 12);
  });

  it('weighs the legs by the shares of the embedder', () => {
    const shares = scoreShares(0.8);
    expect(shares).toEqual({ fullTextWeight: 0.8, semanticWeight: 0.2 });
    const fused = fuseScores([near('a', 0.5)], [matching('b', 3)], shares);
    expect(fused.map(({ item, score }) => [item.id, score])).toEqual([
      ['b', 0.8],
      ['a', 0.2],
    ]);
  });

  it('treats negative similarity as 0, and accepts empty lists', () => {
    const fused = fuseScores([near('a', -0.2)], [matching('b', 3)]);
    expect(fused).toMatchObject([
      { item: { id: 'b' }, score: 0.6 },
      { item: { id: 'a' }, score: 0 },
    ]);
    expect(fuseScores([], [])).toEqual([]);
    expect(fuseScores([near('a', 0.5)], [])).toMatchObject([{ score: 0.4 }]);
  });

  it('yields the same order for any depth of the lists', () => {
    const lists = (depth: number) =>
      fuseScores(
        Array.from({ length: depth }, (_, place) => near(`n${place}`, 1 / (place + 1))),
        Array.from({ length: depth }, (_, place) =>
          matching(place % 3 === 0 ? `n${place}` : `m${place}`, 9 / (place + 1)),
        ),
      ).map(({ item }) => item.id);
    const deep = lists(MIN_CANDIDATES + 300);
    expect(new Set(deep).size).toBe(deep.length);
    for (const more of [0, 1, 70]) {
      const some = lists(MIN_CANDIDATES + more);
      expect(deep.slice(0, MIN_CANDIDATES + more)).toEqual(some.slice(0, MIN_CANDIDATES + more));
    }
  });
});
