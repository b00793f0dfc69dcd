import { describe, expect, it } from 'vitest';
import { createChunkTermCounts } from '../../../src/embeddings/lsa/chunk-term-counts.ts';

function weighed(texts: readonly string[], maxTerms: number) {
  const counts = createChunkTermCounts();
  for (const text of texts) counts.add(text);
  const { matrix, terms, weights, knownShare } = counts.weigh(maxTerms);
  const row = (place: number) => {
    const range = [matrix.starts[place], matrix.starts[place + 1]] as const;
    const values = matrix.values.subarray(...range);
    return new Map([...matrix.columns.subarray(...range)].map((column, at) => [terms[column], values[at] ?? 0]));
  };
  return { matrix, terms, weights, knownShare, row };
}

describe('the term counts of chunks', () => {
  it('become rows of unit length, weighted by frequency and by how unevenly a term is distributed', () => {
    const { terms, weights, row } = weighed(['boat boat harbour', 'harbour'], 10);
    expect(terms).toEqual(['harbour', 'boat']);
    // A term in every chunk distinguishes none; one in a single chunk has the full weight.
    expect([...weights]).toEqual([0, 1]);
    expect(row(0)).toEqual(
      new Map([
        ['boat', 1],
        ['harbour', 0],
      ]),
    );
    expect(row(1)).toEqual(new Map([['harbour', 0]]));
  });

  it('keep the terms of most chunks, and rows without any', () => {
    const { matrix, terms, row, knownShare } = weighed(['', 'xylem', 'boat', 'boat harbour', 'harbour boat', ''], 2);
    expect(terms).toEqual(['boat', 'harbour']);
    expect([...matrix.starts]).toEqual([0, 0, 0, 1, 3, 5, 5]);
    expect([...row(4).keys()]).toEqual(['harbour', 'boat']);
    expect(knownShare).toBeCloseTo(5 / 6);
  });

  it('are those of each chunk, however many there are', () => {
    // Some 96,000 entries.
    const termsOf = (place: number) => Array.from({ length: 60 }, (_, at) => `${(place * 7 + at * at) % 499}`);
    const texts = Array.from({ length: 2_000 }, (_, place) => termsOf(place).join(' '));
    const { matrix, row } = weighed(texts, 1_000);
    expect(matrix.values.length).toBeGreaterThan(2 ** 16);
    for (const place of texts.keys()) {
      const found = row(place);
      expect([...found.keys()]).toEqual([...new Set(termsOf(place))]);
      expect([...found.values()].reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1, 5);
    }
  });
});
