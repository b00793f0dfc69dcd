import { expect, it } from 'vitest';
import { mayBeTrapped } from '../../../../src/store/sql/search/may-be-trapped.ts';

/** Hits at these distances, nearest first: `others` of them apart, then `copies` that differ by `apart` altogether. */
const hits = (others: number, copies: number, apart = 0) => [
  ...Array.from({ length: others }, (_, key) => ({ key, distance: 0.001 * key })),
  ...Array.from({ length: copies }, (_, at) => ({ key: others + at, distance: 0.5 + (apart * at) / (copies - 1) })),
];

it.each<[string, boolean, ReturnType<typeof hits>]>([
  ['no hit', false, []],
  ['nine copies', false, hits(0, 9)],
  ['nothing but ten copies', true, hits(0, 10)],
  ['as many other hits as copies', false, hits(10, 10)],
  ['one copy more than other hits', true, hits(10, 11)],
  ['copies whose distances differ by rounding', true, hits(0, 10, 0.9e-6)],
  ['ten hits whose distances differ by more than rounding', false, hits(0, 10, 1.1e-5)],
])('a search that returned %s: %s', (_, isTrapped, returned) => {
  expect(mayBeTrapped(returned)).toBe(isTrapped);
});

it('is not trapped in copies that other hits follow', () => {
  expect(mayBeTrapped([...hits(0, 30), { key: 99, distance: 0.6 }])).toBe(false);
});
