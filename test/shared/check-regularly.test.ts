import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { checkRegularly } from '../../src/shared/check-regularly.ts';

it('starts no check while the last one still runs, and ends with the first that fails', async () => {
  let [running, most, checks] = [0, 0, 0];
  const holds = async () => {
    most = Math.max(most, ++running);
    await sleep(20);
    running--;
    return ++checks < 3;
  };
  expect(await checkRegularly(holds, { everyMs: 1, signal: new AbortController().signal })).toBe(true);
  expect({ checks, most }).toEqual({ checks: 3, most: 1 });
});

it('ends when it is stopped, also during a check', async () => {
  const stop = new AbortController();
  let checks = 0;
  const holds = async () => {
    checks++;
    stop.abort();
    return false;
  };
  expect(await checkRegularly(holds, { everyMs: 1, signal: stop.signal })).toBe(false);
  expect(await checkRegularly(holds, { everyMs: 1, signal: stop.signal })).toBe(false);
  expect(checks).toBe(1);
});
