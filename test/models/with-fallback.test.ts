import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { ProviderError } from '../../src/models/provider-error.ts';
import { withFallback } from '../../src/models/with-fallback.ts';
import { ask, failureOf, playedModel, said } from './support.ts';

const down = new ProviderError('provider_failed', 'A is down.', 'retry');

describe('a model with a fallback', () => {
  it('does not call the second model when the first answers', async () => {
    const second = playedModel('b/b', []);
    expect(await ask(withFallback(playedModel('a/a', [{ events: said('Hi', 'a/a') }]), second))).toEqual(
      said('Hi', 'a/a'),
    );
    expect(second.calls).toBe(0);
  });

  it.each([
    down,
    new ProviderError('provider_failed', 'Key refused.', 'other_provider'),
    new ProviderError('rate_limited', 'Slow down.', 'retry'),
    new ProviderError('timeout', 'Silence.', 'retry'),
  ])('calls the second model when another provider can help: $message', async (error) => {
    const model = withFallback(playedModel('a/a', [{ error }]), playedModel('b/b', [{ events: said('Hi', 'b/b') }]));
    expect((await ask(model)).at(-1)).toMatchObject({ model: 'b/b' });
  });

  it.each([
    new ProviderError('invalid_request', 'Too long.', 'none'),
    new ServiceError('cancelled', 'The request was cancelled.'),
    new Error('A fault of our own.'),
  ])('does not call it when no provider can help: $message', async (error) => {
    const second = playedModel('b/b', []);
    expect(await failureOf(ask(withFallback(playedModel('a/a', [{ error }]), second)))).toBe(error);
    expect(second.calls).toBe(0);
  });

  it('calls the second model also after a pause that the first asked for', async () => {
    const first = playedModel('a/a', [{ events: [{ type: 'waiting', seconds: 4 }], error: down }]);
    const model = withFallback(first, playedModel('b/b', [{ events: said('Hi', 'b/b') }]));
    expect((await ask(model)).at(-1)).toMatchObject({ model: 'b/b' });
  });

  it('does not call it when the first had begun to answer', async () => {
    const first = playedModel('a/a', [{ events: [{ type: 'text', text: 'Half' }], error: down }]);
    expect(await failureOf(ask(withFallback(first, playedModel('b/b', []))))).toBe(down);
  });

  it('reports both failures', async () => {
    const second = playedModel('b/b', [{ error: new ProviderError('rate_limited', 'B is busy.', 'retry') }]);
    expect(await failureOf(ask(withFallback(playedModel('a/a', [{ error: down }]), second)))).toMatchObject({
      code: 'provider_failed',
      message: 'A is down. The fallback model b/b failed too: B is busy.',
    });
  });
});
