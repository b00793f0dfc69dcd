import { describe, expect, it } from 'vitest';
import { LruMap } from '../../../../src/shared/lru-map.ts';
import { createVocabulary } from '../../../../src/store/sql/full-text/filter-vocabulary.ts';
import { noPostings, type Postings, toPostings } from '../../../../src/store/sql/full-text/postings.ts';
import { rankByTerms } from '../../../../src/store/sql/full-text/rank-by-terms.ts';
import type { TermIndex } from '../../../../src/store/sql/full-text/term-index.ts';
import { keySet } from '../../../../src/store/sql/search/key-set.ts';

const CHUNKS = 160_000;

/** Terms by the share of chunks that have them. */
const EVERY = { rare: 4_001, seldom: 1_009, often: 3, common: 2, usual: 1 };
type Term = keyof typeof EVERY;

const postingsOf: Readonly<Record<string, Postings>> = Object.fromEntries(
  Object.entries(EVERY).map(([term, every]) => {
    const found: number[] = [];
    for (let key = every; key <= CHUNKS; key += every) {
      for (let time = 1 + ((key * 31) % 4); time > 0; time--) found.push(time === 3 ? -key : key);
    }
    return [term, toPostings(found)];
  }),
);

/** Without frequencies, every posting is scored. */
function indexOf({ hasFrequencies }: { readonly hasFrequencies: boolean }) {
  const read: string[] = [];
  const index: TermIndex = {
    chunks: {
      lengths: Int32Array.from({ length: CHUNKS + 1 }, (_, key) => (key === 0 ? -1 : 20 + (key % 50))),
      scores: new Float64Array(CHUNKS + 1),
      count: CHUNKS,
      mean: 44.5,
    },
    count: (term) => Math.ceil((2.5 * CHUNKS) / EVERY[term as Term]),
    postings(term) {
      read.push(term);
      return postingsOf[term] ?? noPostings;
    },
    seek: () => undefined,
    ...(hasFrequencies && { frequency: (term: string) => Math.floor(CHUNKS / EVERY[term as Term]) }),
  };
  return { index, read };
}

describe('ranking by terms of which many chunks have some', () => {
  const terms = ['usual', 'rare', 'common', 'seldom', 'often'];

  it('looks up frequent terms only for the chunks that they can lift, with the same result', () => {
    const all = indexOf({ hasFrequencies: false });
    const some = indexOf({ hasFrequencies: true });
    let asked = 0;
    const everyChunk = { ...keySet([]), size: CHUNKS, has: () => ++asked > 0 };
    for (const limit of [10, 100, 500]) {
      for (const few of [terms, ['seldom', 'usual'], ['common', 'often']]) {
        const query = { terms: few, allowed: everyChunk, limit };
        asked = 0;
        const expected = rankByTerms(all.index, query);
        const withAll = asked;
        asked = 0;
        expect(rankByTerms(some.index, query), `${few}, ${limit}`).toEqual(expected);
        if (limit < 100 && few.includes('seldom')) expect(asked).toBeLessThan(withAll / 100);
      }
    }
    expect(some.index.chunks.scores.every((score) => score === 0)).toBe(true);
  });

  it('looks up few allowed chunks in the postings of frequent terms', () => {
    const all = indexOf({ hasFrequencies: false });
    const some = indexOf({ hasFrequencies: true });
    for (const count of [1, 40, 900]) {
      const allowed = keySet(Array.from({ length: count }, (_, number) => 1 + number * 177));
      // What seems to be many is not looked up.
      const asMany = { ...allowed, size: CHUNKS };
      const query = { terms, limit: 50 };
      expect(rankByTerms(some.index, { ...query, allowed })).toEqual(
        rankByTerms(all.index, { ...query, allowed: asMany }),
      );
    }
  });

  it('reads all postings where chunks with frequent terms alone are among the best', () => {
    const all = indexOf({ hasFrequencies: false });
    const some = indexOf({ hasFrequencies: true });
    const query = { terms: ['usual', 'common', 'often'], allowed: undefined, limit: 500 };
    expect(rankByTerms(some.index, query)).toEqual(rankByTerms(all.index, query));
    expect(new Set(some.read)).toEqual(new Set(query.terms));
  });
});

it('does not keep a frequency of postings that have not been fetched yet', () => {
  const { index } = indexOf({ hasFrequencies: false });
  const own = createVocabulary([{ key: 2, title: '', body: 'common' }], 1);
  const known = {
    occurrences: new LruMap({ max: 9 }),
    frequencies: new LruMap({ max: 9 }),
    first: new LruMap({ max: 9 }),
  };
  const query = { terms: ['common'], allowed: keySet([2]), own, limit: 1 };
  const expected = rankByTerms(index, query);
  const chunks = { ...index.chunks, known } as TermIndex['chunks'];
  rankByTerms({ ...index, chunks, postings: () => noPostings }, query);
  expect(rankByTerms({ ...index, chunks }, query)).toEqual(expected);
});
