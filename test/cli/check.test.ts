import { expect, it } from 'vitest';
import { supportedOf } from '../../src/cli/check.ts';

it('says how many statements are supported', () => {
  expect(supportedOf(1, 1)).toBe('1 of 1 statement is supported.');
  expect(supportedOf(0, 2)).toBe('0 of 2 statements are supported.');
});
