import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { openAiModel } from '../../src/models/openai/openai-model.ts';
import { openAiClient } from '../../src/models/openai/openai-provider.ts';
import { ProviderError } from '../../src/models/provider-error.ts';
import { createRejectedParameters } from '../../src/models/rejected-parameters.ts';
import {
  type BackoffParts,
  backoffDelay,
  createBackoff,
  defaultRetryPolicy,
  type RetryPolicy,
} from '../../src/models/retry-policy.ts';
import { withRetry } from '../../src/models/with-retry.ts';
import { chatReply, openAiError, rateLimited, startFakeOpenAi } from '../support/fake-openai.ts';
import { brokenConnection, endingAfter, silence } from '../support/fake-provider.ts';
import { ask, collect, failureOf, modelRequest, openAiProvider, playedModel, said, textOf } from './support.ts';

let fake: Awaited<ReturnType<typeof startFakeOpenAi>>;
beforeEach(async () => {
  fake = await startFakeOpenAi();
});
afterEach(() => fake.close());

const quick = { maxTries: 4, firstDelayMs: 1, maxDelayMs: 4, maxTotalWaitMs: 5000 };

/** Pauses as long as they would be, without waiting. */
function recordedPauses() {
  const pauses: number[] = [];
  const parts: BackoffParts = { random: () => 0, sleep: async (milliseconds) => void pauses.push(milliseconds) };
  return { pauses, parts };
}

interface RetriedParts {
  readonly policy?: RetryPolicy;
  readonly backoff?: BackoffParts;
  /** How long the provider may be silent. */
  readonly silentMs?: number;
}

function retried({ policy = quick, backoff, silentMs = 60_000 }: RetriedParts = {}) {
  const provider = openAiProvider(fake.baseUrl);
  const limits = { firstEventMs: silentMs, idleMs: silentMs };
  return withRetry(
    openAiModel('gpt-4.1', { provider, client: openAiClient(provider), limits, rejected: createRejectedParameters() }),
    policy,
    backoff,
  );
}

describe('a model with retries', () => {
  it('answers once the provider has recovered, with one retry per failure and none by the SDK', async () => {
    fake.next(openAiError(500, 'oops'), brokenConnection, chatReply({ text: 'At last' }));
    expect(textOf(await ask(retried()))).toBe('At last');
    expect(fake.requests.length).toBe(3);
  });

  it('asks again a provider that sends nothing', async () => {
    fake.next(silence);
    fake.otherwise(() => chatReply({ text: 'At last' }));
    // As many tries as a slow machine needs to get an answer in time.
    const policy = { ...quick, maxTries: 100 };
    expect(textOf(await ask(retried({ policy, silentMs: 300 })))).toBe('At last');
    expect(fake.requests.length).toBeGreaterThan(1);
  });

  it.each([408, 409, 429, 502, 503, 504, 529])('retries after status %i', async (status) => {
    fake.next(openAiError(status, 'later'), chatReply({ text: 'Fine' }));
    expect(textOf(await ask(retried()))).toBe('Fine');
  });

  it.each([400, 401, 403, 404, 413, 422])('does not retry after status %i', async (status) => {
    fake.next(openAiError(status, 'no', { code: 'some_code' }));
    await failureOf(ask(retried()));
    expect(fake.requests.length).toBe(1);
  });

  it('waits as long as the provider asks', async () => {
    fake.next(rateLimited('4'), chatReply({ text: 'Fine' }));
    const { pauses, parts } = recordedPauses();
    expect(textOf(await ask(retried({ backoff: parts })))).toBe('Fine');
    expect(pauses).toEqual([4_000]);
  });

  it('reports a pause that the provider asks for, but not its own short ones', async () => {
    fake.next(rateLimited('4'), openAiError(500, 'oops'), chatReply({ text: 'Fine' }));
    const seen = await ask(retried({ backoff: recordedPauses().parts }));
    expect(seen.filter(({ type }) => type === 'waiting')).toEqual([{ type: 'waiting', seconds: 4 }]);
    expect(seen[0]?.type).toBe('waiting');
  });

  it('says when to try again if it would have to wait too long', async () => {
    fake.next(rateLimited('3600'));
    expect(await failureOf(ask(retried()))).toMatchObject({
      message: expect.stringContaining('Try again in 60 minutes'),
    });
  });

  it('does not wait longer than its limit', async () => {
    fake.next(rateLimited('3600'));
    expect(await failureOf(ask(retried()))).toMatchObject({ code: 'rate_limited', retryAfter: 3600 });
    expect(fake.requests.length).toBe(1);
  });

  it('gives up after its last attempt', async () => {
    fake.otherwise(() => openAiError(500, 'oops'));
    expect(await failureOf(ask(retried()))).toMatchObject({ code: 'provider_failed' });
    expect(fake.requests.length).toBe(quick.maxTries);
  });

  it('does not retry after the answer has begun', async () => {
    fake.next(endingAfter(3, chatReply({ text: 'Half an answer' }), { cut: true }), chatReply({ text: 'Never asked' }));
    const seen: string[] = [];
    const failure = await failureOf(
      (async () => {
        for await (const event of retried().stream(modelRequest())) if (event.type === 'text') seen.push(event.text);
      })(),
    );
    expect(failure).toMatchObject({ code: 'provider_failed' });
    expect(seen.length).toBeGreaterThan(0);
    expect(fake.requests.length).toBe(1);
  });

  it('stops waiting at once when the caller aborts', async () => {
    fake.next(rateLimited('4'));
    const leaving = new AbortController();
    // Never settles by itself.
    const untilAborted: BackoffParts['sleep'] = (_milliseconds, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        leaving.abort();
      });
    const model = retried({ backoff: { random: () => 0, sleep: untilAborted } });
    expect(await failureOf(ask(model, { signal: leaving.signal }))).toMatchObject({ code: 'cancelled' });
    expect(fake.requests.length).toBe(1);
  });

  it('does not retry errors that are not the provider’s', async () => {
    const model = playedModel('a/b', [{ error: new ServiceError('invalid_request', 'No.') }]);
    await expect(collect(withRetry(model, quick).stream(modelRequest()))).rejects.toThrow('No.');
    expect(model.calls).toBe(1);
  });

  it('keeps its name and its events', async () => {
    const model = playedModel('a/b', [
      { error: new ProviderError('provider_failed', 'Down.', 'retry') },
      { events: said('Hi', 'a/b') },
    ]);
    expect(withRetry(model, quick).name).toBe('a/b');
    expect(await ask(withRetry(model, quick))).toEqual(said('Hi', 'a/b'));
  });
});

describe('back-off', () => {
  it('doubles up to its ceiling, and is spread over half of each step', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7].map((tries) => backoffDelay(tries, defaultRetryPolicy, () => 1));
    expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 16_000]);
    expect(backoffDelay(2, defaultRetryPolicy, () => 0)).toBe(500);
  });

  it('really waits, and ends at once when the caller has left', async () => {
    const failure = new ProviderError('provider_failed', 'Down.', 'retry');
    const backoff = createBackoff({ ...quick, firstDelayMs: 60_000, maxDelayMs: 60_000, maxTotalWaitMs: 60_000 });
    const waiting = backoff.wait(failure, AbortSignal.abort());
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect(await createBackoff(quick).wait(failure, undefined)).toBe(true);
  });
});
