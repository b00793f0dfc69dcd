import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createThrottle } from '../../src/access/throttle.ts';

const refused = expect.objectContaining({ code: 'rate_limited' });

describe('a throttle', () => {
  it('refuses too many attempts, and says when to try again', async () => {
    let now = 0;
    const throttle = createThrottle({ times: 2, seconds: 60 }, () => now);
    await throttle.attempt('ada');
    now = 20_000;
    await throttle.attempt('ada');
    await throttle.attempt('bob');
    await expect(throttle.attempt('ada')).rejects.toThrow(expect.objectContaining({ retryAfter: 40 }));
    now = 60_001;
    await throttle.attempt('ada');
    await expect(throttle.attempt('ada')).rejects.toThrow(refused);
  });

  it('is not prolonged by setting the time of day back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const throttle = createThrottle({ times: 1, seconds: 0.02 });
    await throttle.attempt('ada');
    vi.setSystemTime(Date.now() - 86_400_000);
    await sleep(25);
    await throttle.attempt('ada');
  });

  it('is reset by a success for one name, or for all', async () => {
    const throttle = createThrottle({ times: 2, seconds: 60 });
    await throttle.attempt('ada');
    await throttle.attempt('ada');
    await throttle.undo('ada');
    await throttle.attempt('ada');
    await expect(throttle.attempt('ada')).rejects.toThrow(refused);
    await throttle.reset('ada');
    await throttle.attempt('ada');
  });

  it('limits the number of names it stores', async () => {
    const throttle = createThrottle({ times: 1, seconds: 60, names: 2 });
    for (const name of ['ada', 'bob', 'eve']) await throttle.attempt(name);
    await throttle.attempt('ada');
    await expect(throttle.attempt('eve')).rejects.toThrow(refused);
  });
});
