import { expect, it } from 'vitest';
import { chooseTerms, MAX_TERMS } from '../../../../src/store/sql/full-text/choose-terms.ts';

const counted = (length: number, count: (place: number) => number) =>
  Array.from({ length }, (_, place) => ({ term: `t${place}`, count: count(place) }));

it('selects the rarest known terms within a budget', () => {
  const many = counted(60_000, (place) => (place < 50_000 ? 1_000 : 1));
  const chosen = chooseTerms(many);
  expect(chosen).toEqual(Array.from({ length: MAX_TERMS }, (_, place) => `t${50_000 + place}`));
  expect(chooseTerms(counted(5, (place) => place))).toEqual(['t1', 't2', 't3', 't4']);
});

it('drops terms that match too many rows, but never the last', () => {
  const frequent = counted(300, () => 100_000);
  const chosen = chooseTerms(frequent);
  expect(chosen.length).toBeGreaterThan(1);
  expect(chosen.length * chosen.length * 100_000).toBeLessThanOrEqual(3_000_000);
  expect(chooseTerms([{ term: 'the', count: 1e9 }])).toEqual(['the']);
});
