import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { openAiModel } from '../../src/models/openai/openai-model.ts';
import { openAiClient } from '../../src/models/openai/openai-provider.ts';
import { ProviderError } from '../../src/models/provider-error.ts';
import { createRejectedParameters } from '../../src/models/rejected-parameters.ts';
import { backoffDelay, defaultRetryPolicy } from '../../src/models/retry-policy.ts';
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

function retried(policy = quick) {
  const provider = openAiProvider(fake.baseUrl);
  const limits = { firstEventMs: 1000, idleMs: 1000 };
  return withRetry(
    openAiModel('gpt-4.1', { provider, client: openAiClient(provider), limits, rejected: createRejectedParameters() }),
    policy,
  );
}

describe('a model with retries', () => {
  it('answers once the provider has recovered, with one retry per failure and none by the SDK', async () => {
    fake.next(openAiError(500, 'oops'), brokenConnection, silence, chatReply({ text: 'At last' }));
    expect(textOf(await ask(retried()))).toBe('At last');
    expect(fake.requests.length).toBe(4);
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
    fake.next(rateLimited('0.3'), chatReply({ text: 'Fine' }));
    await ask(retried());
    const [first, second] = fake.requests;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(290);
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
    const begun = performance.now();
    expect(await failureOf(ask(retried(), { signal: AbortSignal.timeout(100) }))).toMatchObject({ code: 'cancelled' });
    expect(performance.now() - begun).toBeLessThan(4_000);
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
});
