import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestFailure } from '../../src/page/app/api/request.ts';
import { persistently } from '../../src/page/app/views/library/persistently.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const away = new RequestFailure(0, 'The server cannot be reached.');
const proxy = new RequestFailure(502, 'The server answered with status 502.');
const limited = (retryAfter: number) => new RequestFailure(429, 'Too many.', { code: 'rate_limited', retryAfter });
const signedOut = new RequestFailure(401, 'Sign in.', { code: 'unauthenticated' });

/** Sends a request that fails in these ways, then succeeds. Resolves to its result and the seconds that it took. */
async function send(failures: readonly Error[], signal = new AbortController().signal) {
  const left = [...failures];
  const begun = Date.now();
  const result = persistently(
    async () => {
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return 'done';
    },
    { signal, onWait: () => {}, signedIn: async () => {} },
  ).then(
    (value) => value,
    (error: Error) => error.message,
  );
  await vi.runAllTimersAsync();
  return [await result, (Date.now() - begun) / 1_000];
}

it('repeats a request at growing intervals while the server is away', async () => {
  expect(await send([away, proxy, away])).toEqual(['done', 7]);
  expect(await send(Array.from({ length: 10 }, () => away))).toEqual(['done', 15 + 15 * 6]);
});

it('repeats a request after a sign-in, and after the time that a limit of the rate asks for', async () => {
  expect(await send([signedOut, limited(20)])).toEqual(['done', 20]);
  // It is refused even after sign-ins.
  expect(await send([signedOut, signedOut, signedOut])).toEqual(['done', 6]);
});

it('does not repeat a request that was refused, or is refused for long', async () => {
  const failed = new RequestFailure(503, 'Set OPENAI_API_KEY.', { code: 'not_configured' });
  expect(await send([failed])).toEqual(['Set OPENAI_API_KEY.', 0]);
  expect(await send([limited(86_400)])).toEqual(['Too many.', 0]);
});

it('ends when it is given up', async () => {
  const given = new AbortController();
  setTimeout(() => given.abort(new Error('Given up.')), 1_500);
  expect((await send([away, away, away], given.signal))[0]).toBe('Given up.');
});
