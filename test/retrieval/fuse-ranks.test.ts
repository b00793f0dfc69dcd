import { describe, expect, it } from 'vitest';
import { fuseRanks, fuseVariants } from '../../src/retrieval/fuse-ranks.ts';

const list = (...ids: string[]) => ids.map((id) => ({ id }));
const defaults = { semanticWeight: 5, fullTextWeight: 1, fullTextLimit: 200, rrfK: 50, limit: 10 };

describe('fuseRanks', () => {
  it('adds the weighted reciprocal ranks and divides by the weights', () => {
    const [first, second] = fuseRanks(list('a', 'b'), list('b', 'a'), defaults);
    expect(first?.item.id).toBe('a');
    expect(first?.score).toBeCloseTo((5 / 51 + 1 / 52) / 6, 12);
    expect(second?.score).toBeCloseTo((5 / 52 + 1 / 51) / 6, 12);
  });

  it('ranks a hit missing from a list at the limit of that list', () => {
    const fused = fuseRanks(list('near'), list('matching'), defaults);
    expect(fused.map(({ item }) => item.id)).toEqual(['matching', 'near']);
    expect(fused[0]?.score).toBeCloseTo((5 / 60 + 1 / 51) / 6, 12);
    expect(fused[1]?.score).toBeCloseTo((5 / 51 + 1 / 250) / 6, 12);
  });

  it('drops hits beyond twice the limit of a list', () => {
    const ids = Array.from({ length: 5 }, (_, place) => `s${place + 1}`);
    const kept = fuseRanks(list(...ids), [], { ...defaults, limit: 2 }).map(({ item }) => item.id);
    expect(kept).toEqual(['s1', 's2', 's3', 's4']);
    const words = Array.from({ length: 9 }, (_, place) => `f${place + 1}`);
    const matching = fuseRanks([], list(...words), { ...defaults, limit: 2, fullTextLimit: 4 });
    expect(matching).toHaveLength(8);
  });

  it('respects the weights of the lists', () => {
    const order = (fullTextWeight: number) =>
      fuseRanks(list('a', 'b'), list('b', 'a'), { ...defaults, semanticWeight: 1, fullTextWeight })[0]?.item.id;
    expect(order(0)).toBe('a');
    expect(order(2)).toBe('b');
  });

  it('keeps the semantic order of equal scores', () => {
    const fused = fuseRanks(list('a', 'b'), list('b', 'a'), { ...defaults, semanticWeight: 1, fullTextWeight: 1 });
    expect(fused.map(({ item }) => item.id)).toEqual(['a', 'b']);
  });
});

describe('fuseVariants', () => {
  it('sums 1/(60+rank) over the lists and returns each hit once', () => {
    const fused = fuseVariants([list('a', 'b'), list('b'), list('c', 'b')]);
    expect(fused.map(({ item }) => item.id)).toEqual(['b', 'a', 'c']);
    expect(fused[0]?.score).toBeCloseTo(1 / 62 + 1 / 61 + 1 / 62, 12);
  });
});
