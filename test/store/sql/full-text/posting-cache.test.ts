import { describe, expect, it } from 'vitest';
import { createPostingCache } from '../../../../src/store/sql/full-text/posting-cache.ts';
import { type Postings, toPostings } from '../../../../src/store/sql/full-text/postings.ts';

const plain = ({ keys, titles, bodies, occurrences }: Postings) => ({
  chunks: Array.from(keys, (key, at) => [key, titles[at], bodies[at]]),
  occurrences,
});

describe('cached postings', () => {
  const owls = [-1, 1, 3, 3, 7, 12];

  it('get those of changed chunks once they are needed', () => {
    const cache = createPostingCache();
    cache.set('owl', toPostings(owls));
    cache.noteChanges([[3, 4]]);
    cache.noteChanges([
      [9, 12],
      [9, 12],
    ]);
    const read: unknown[] = [];
    const readChunks = (range: readonly number[]) => {
      read.push(range);
      return (term: string) => toPostings(term === 'owl' && range[0] === 3 ? [-4, 4, 4] : []);
    };
    for (let time = 0; time < 2; time++) {
      expect(plain(cache.get('owl', readChunks) ?? toPostings([]))).toEqual(plain(toPostings([-1, 1, -4, 4, 4, 7])));
    }
    expect(read).toEqual([
      [3, 4],
      [9, 12],
    ]);
  });

  it('are read again after many changes, or after changes with too many terms', () => {
    const readNone = () => () => toPostings([]);
    for (const [changes, isKept] of [
      [[[1, 256]], true],
      [[[1, 257]], false],
      [
        [
          [20, 20],
          [30, 285],
        ],
        false,
      ],
      [
        [
          [20, 20],
          [30, 284],
        ],
        true,
      ],
    ] as const) {
      const cache = createPostingCache();
      cache.set('owl', toPostings(owls));
      for (const range of changes) cache.noteChanges([range]);
      expect(cache.get('owl', readNone) !== undefined, JSON.stringify(changes)).toBe(isKept);
      cache.set('owl', toPostings([5]));
      expect(plain(cache.get('owl', readNone) ?? toPostings([]))).toEqual(plain(toPostings([5])));
    }
    const cache = createPostingCache();
    cache.set('owl', toPostings(owls));
    cache.noteChanges([[1, 1]]);
    expect(cache.get('owl', () => undefined)).toBeUndefined();
    expect(cache.get('owl', readNone)).toBeUndefined();
  });

  it('are bounded: the least recently used are dropped, and none takes more than a quarter', () => {
    const cache = createPostingCache(1_000);
    const readNone = () => undefined;
    const many = (count: number) => toPostings(Array.from({ length: count }, (_, key) => key + 1));
    for (const term of ['one', 'two', 'three']) cache.set(term, many(250));
    cache.get('one', readNone);
    cache.set('four', many(250));
    cache.set('too frequent', many(251));
    const isKept = (term: string) => cache.get(term, readNone) !== undefined;
    expect(['one', 'two', 'three', 'four', 'too frequent'].map(isKept)).toEqual([true, false, true, true, false]);
  });
});
