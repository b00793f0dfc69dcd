import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromCollectionName, toCollectionName } from '../../../src/store/chroma/collection-name.ts';

describe('the name of a collection in Chroma', () => {
  it.each([
    ['lexical-hash-v1-512', 'citewell-lexical-hash-v1-512'],
    ['openai/text-embedding-3-small', 'citewell-openai_2ftext-embedding-3-small'],
    ['ends-in-', 'citewell-ends-in_2d'],
    ['snake_case.v2', 'citewell-snake_5fcase_2ev2'],
    ['größe', 'citewell-gr_c3_b6_c3_9fe'],
  ])('of %j is %j', (name, full) => {
    expect(toCollectionName('citewell', name)).toBe(full);
  });

  it('is valid in Chroma and maps back to the original name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }), (name) => {
        const full = toCollectionName('citewell', name);
        expect(full).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{1,510}[A-Za-z0-9]$/);
        expect(fromCollectionName('citewell', full)).toBe(name);
      }),
    );
  });

  it.each(['other', 'citewell', 'citewell-', 'citewellish-x', 'citewell-with space'])(
    '%j is not recognised',
    (full) => {
      expect(fromCollectionName('citewell', full)).toBeUndefined();
    },
  );

  it('refuses an empty name and one that becomes too long', () => {
    expect(() => toCollectionName('citewell', '')).toThrow('empty or too long');
    expect(() => toCollectionName('citewell', '/'.repeat(200))).toThrow('empty or too long');
  });
});
