import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createThrottle } from '../../src/access/throttle.ts';

const refused = expect.objectContaining({ code: 'rate_limited' });

describe('a throttle', () => {
  it('refuses too many attempts, and says when to try again', () => {
    let now = 0;
    const throttle = createThrottle({ times: 2, seconds: 60 }, () => now);
    throttle.attempt('ada');
    now = 20_000;
    throttle.attempt('ada');
    throttle.attempt('bob');
    expect(() => throttle.attempt('ada')).toThrow(expect.objectContaining({ retryAfter: 40 }));
    now = 60_001;
    throttle.attempt('ada');
    expect(() => throttle.attempt('ada')).toThrow(refused);
  });

  it('is not prolonged by setting the time of day back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const throttle = createThrottle({ times: 1, seconds: 0.02 });
    throttle.attempt('ada');
    vi.setSystemTime(Date.now() - 86_400_000);
    await sleep(25);
    throttle.attempt('ada');
  });

  it('is reset by a success for one name, or for all', () => {
    const throttle = createThrottle({ times: 2, seconds: 60 });
    throttle.attempt('ada');
    throttle.attempt('ada');
    throttle.undo('ada');
    throttle.attempt('ada');
    expect(() => throttle.attempt('ada')).toThrow(refused);
    throttle.forgive('ada');
    throttle.attempt('ada');
  });

  it('limits the number of names it stores', () => {
    const throttle = createThrottle({ times: 1, seconds: 60, names: 2 });
    for (const name of ['ada', 'bob', 'eve']) throttle.attempt(name);
    throttle.attempt('ada');
    expect(() => throttle.attempt('eve')).toThrow(refused);
  });
});
