import { describe, expect, it } from 'vitest';
import { chooseDocuments, withTypingError } from '../../scripts/evaluate/narrow-query.ts';

describe('The documents of a narrow query', () => {
  it('are the relevant ones and as many others, the same each time', () => {
    const all = Array.from({ length: 50 }, (_, number) => `d${number}`);
    const chosen = chooseDocuments(['d7', 'd3'], all, { others: 10, seed: 1 });
    expect(chosen.slice(0, 2)).toEqual(['d7', 'd3']);
    expect(new Set(chosen).size).toBe(12);
    expect(chooseDocuments(['d7', 'd3'], all, { others: 10, seed: 1 })).toEqual(chosen);
    expect(chooseDocuments(['d7', 'd3'], all, { others: 10, seed: 2 })).not.toEqual(chosen);
    expect(chooseDocuments(['d7'], all, { others: 1000, seed: 1 })).toHaveLength(50);
  });
});

describe('A typing error', () => {
  it('changes one longer word after its first letter', () => {
    const text = 'the heat of slender wings at high speed';
    for (let seed = 0; seed < 40; seed++) {
      const words = withTypingError(text, seed).split(' ');
      const changed = text.split(' ').flatMap((word, place) => (word === words[place] ? [] : [[word, words[place]]]));
      expect(changed.length, `seed ${seed}`).toBeLessThanOrEqual(1);
      for (const [before = '', after = ''] of changed) {
        expect(before.length).toBeGreaterThanOrEqual(5);
        expect(after[0]).toBe(before[0]);
        expect(Math.abs(after.length - before.length)).toBeLessThanOrEqual(1);
      }
    }
    const seeds = Array.from({ length: 40 }, (_, seed) => withTypingError(text, seed));
    expect(new Set(seeds).size).toBeGreaterThan(20);
  });

  it('leaves a text of short words alone', () => {
    expect(withTypingError('how far is it', 3)).toBe('how far is it');
  });
});
