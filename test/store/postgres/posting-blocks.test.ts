import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodePostings, encodePostings } from '../../../src/store/postgres/full-text/posting-blocks.ts';

const count = fc.nat({ max: 100_000 });
const postings = fc
  .uniqueArray(fc.record({ key: fc.integer({ min: 7, max: 2 ** 40 }), title: count, body: count, length: count }), {
    selector: ({ key }) => key,
  })
  .map((all) => all.sort((one, two) => one.key - two.key));

it('reads postings as they were written, from any first key', () => {
  fc.assert(
    fc.property(postings, fc.integer({ min: 0, max: 7 }), (all, first) => {
      expect(decodePostings(encodePostings(all, first), first)).toEqual(all);
    }),
  );
});

it('takes three bytes for a chunk that follows the one before and has a term once', () => {
  const all = Array.from({ length: 100 }, (_, index) => ({ key: 1_000_000 + index, title: 0, body: 1, length: 90 }));
  expect(encodePostings(all, 1_000_000)).toHaveLength(300);
});
