import { expect, it } from 'vitest';
import { misspelledName } from '../../src/shared/nearest-name.ts';

it.each([
  ['MODLE', 'MODEL'],
  ['limt', 'limit'],
  ['ehlp', 'help'],
  ['FOO', undefined],
])('takes %s for a misspelling of %s', (name, meant) => {
  expect(misspelledName(name, ['MODEL', 'HOST', 'PORT', 'limit', 'help'])).toBe(meant);
});
