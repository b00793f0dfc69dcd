import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { isWithin } from '../../src/shared/is-within.ts';

const folder = resolve('/data/papers');

it.each([
  [folder, true],
  [join(folder, 'a.md'), true],
  [join(folder, '..hidden', 'a.md'), true],
  [join(folder, 'x', '..', '..', 'papers', 'a.md'), true],
  [resolve('/data'), false],
  [resolve('/data/papers-2/a.md'), false],
  [resolve('/etc'), false],
])('%s is within the folder: %s', (path, isInside) => {
  expect(isWithin(path, folder)).toBe(isInside);
});
