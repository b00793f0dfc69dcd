import { expect, it } from 'vitest';
import { aboutDollars } from '../../src/cli/cost-words.ts';

it.each([
  [0, 'free of charge'],
  [0.00421, 'about $0.0042'],
  [12.3, 'about $12.30'],
])('an estimate of %d dollars is said to be %s', (cost, words) => {
  expect(aboutDollars(cost)).toBe(words);
});
