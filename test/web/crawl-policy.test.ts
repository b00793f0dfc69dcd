import { expect, it, onTestFinished, vi } from 'vitest';
import { createCrawlPolicy } from '../../src/web/crawl-policy.ts';

it('limits the request rate of a site by a monotonic clock', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const fetcher = { fetch: () => Promise.reject(new Error('Nothing is fetched.')) };
  const policy = createCrawlPolicy(fetcher, { obeysRobots: false, minGapMs: 5 });
  const signal = AbortSignal.timeout(2_000);
  const url = new URL('https://a.test/one');
  await policy.admit(url, signal);
  vi.setSystemTime(Date.now() - 86_400_000);
  await expect(policy.admit(url, signal)).resolves.toBeUndefined();
});
