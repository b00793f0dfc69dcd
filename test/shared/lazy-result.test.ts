import { expect, it } from 'vitest';
import { lazyResult } from '../../src/shared/lazy-result.ts';

it('a lazy result is made once for all callers, and again after a failure', async () => {
  const outcomes = [Promise.reject(new Error('The database restarts.')), Promise.resolve('key')];
  let starts = 0;
  const key = lazyResult(() => outcomes[starts++] ?? Promise.reject(new Error('Started too often.')));
  expect(starts).toBe(0);
  const failed = await Promise.allSettled([key(), key()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([key(), key()])).toEqual(['key', 'key']);
  expect([await key(), starts]).toEqual(['key', 2]);
});
