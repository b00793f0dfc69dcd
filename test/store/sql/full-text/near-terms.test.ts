import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearTerms } from '../../../../src/store/sql/full-text/near-terms.ts';

const seekIn = (vocabulary: readonly string[]) => {
  const sorted = [...vocabulary].sort((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));
  return (from: string) => sorted.find((term) => Buffer.compare(Buffer.from(term), Buffer.from(from)) >= 0);
};
const near = (vocabulary: readonly string[], word: string, distance = 1) =>
  nearTerms(seekIn(vocabulary), { word, distance, steps: 10_000, sameBeginning: 0 })
    .map(({ term }) => term)
    .sort();

describe('nearTerms', () => {
  it('finds terms with an insertion, deletion, substitution or transposition', () => {
    const vocabulary = ['theory', 'theor', 'theories', 'tehory', 'therory', 'thorium', 'weather'];
    expect(near(vocabulary, 'theory')).toEqual(['tehory', 'theor', 'therory']);
    expect(near(['weather'], 'whether')).toEqual([]);
    expect(near(['weather'], 'whether', 2)).toEqual(['weather']);
  });

  it('works for every script', () => {
    expect(near(['привет', 'превед'], 'привт')).toEqual(['привет']);
    expect(near(['𝒶𝒷𝒸', 'abc'], '𝒶𝒷')).toEqual(['𝒶𝒷𝒸']);
    expect(near(['शिक्षा'], 'शिक्षो')).toEqual(['शिक्षा']);
  });

  it('finds exactly what comparing with every term finds', () => {
    const word = fc
      .array(fc.constantFrom('a', 'b', 'c', 'ж'), { minLength: 1, maxLength: 6 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 60 }), word, fc.integer({ min: 1, max: 2 }), (all, typed, max) => {
        const expected = all.filter((term) => term !== typed && distance(term, typed) <= max);
        expect(near(all, typed, max)).toEqual(expected.sort());
      }),
      { numRuns: 300 },
    );
  });

  it('stops after the given number of steps', () => {
    let steps = 0;
    const seek = (from: string) => {
      steps++;
      return `${from}a`;
    };
    nearTerms(seek, { word: 'abcdefgh', distance: 2, steps: 50, sameBeginning: 1 });
    expect(steps).toBe(50);
  });
});

/** Reference implementation of the distance, with a full table. */
function distance(one: string, two: string): number {
  const [a, b] = [[...one], [...two]];
  const table = a.concat('').map(() => b.concat('').map(() => 0));
  const at = (row: number, column: number) => table[row]?.[column] ?? 0;
  for (let row = 0; row <= a.length; row++) {
    for (let column = 0; column <= b.length; column++) {
      const changes = [row === 0 || column === 0 ? row + column : Number.POSITIVE_INFINITY];
      if (row > 0 && column > 0) {
        changes.push(at(row - 1, column) + 1, at(row, column - 1) + 1);
        changes.push(at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1));
        const isExchanged = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
        if (isExchanged) changes.push(at(row - 2, column - 2) + 1);
      }
      (table[row] ?? [])[column] = Math.min(...changes);
    }
  }
  return at(a.length, b.length);
}
