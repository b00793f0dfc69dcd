import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anthropicClient, anthropicModel } from '../../../src/models/anthropic/anthropic-model.ts';
import type { Model } from '../../../src/models/model.ts';
import { remedyFor } from '../../../src/models/provider-error.ts';
import { createRejectedParameters } from '../../../src/models/rejected-parameters.ts';
import { anthropicError, failingMidway, messageReply, startFakeAnthropic } from '../../support/fake-anthropic.ts';
import { brokenConnection, endingAfter, silence, slowly } from '../../support/fake-provider.ts';
import { anthropicProvider, ask, failureOf, modelRequest, textOf } from '../support.ts';

let fake: Awaited<ReturnType<typeof startFakeAnthropic>>;
beforeEach(async () => {
  fake = await startFakeAnthropic();
});
afterEach(() => fake.close());

function model(name = 'claude-haiku-4-5', limits = { firstEventMs: 2000, idleMs: 2000 }): Model {
  const provider = anthropicProvider(fake.baseUrl);
  return anthropicModel(name, {
    provider,
    client: anthropicClient(provider),
    limits,
    rejected: createRejectedParameters(),
  });
}

describe('an Anthropic model', () => {
  it('streams text and ends with stop reason, usage and model name', async () => {
    fake.next(
      messageReply({
        text: 'Bonjour le monde',
        usage: { input: 5, cacheWritten: 10, cacheRead: 20, output: 7, thinking: 2 },
      }),
    );
    const events = await ask(model());
    expect(events.filter((event) => event.type === 'text').length).toBe(3);
    expect(textOf(events)).toBe('Bonjour le monde');
    expect(events.at(-1)).toEqual({
      type: 'stop',
      reason: 'end',
      usage: { input: 35, cachedInput: 20, output: 7, reasoning: 2 },
      model: 'anthropic/claude-haiku-4-5',
      snapshot: 'anthropic/claude-sonnet-4-5-20250929',
    });
    expect(fake.requests[0]?.headers.authorization).toBe('Bearer sk-ant-secret');
    // Compatible servers expect the key in this header.
    expect(fake.requests[0]?.headers['x-api-key']).toBe('sk-ant-secret');
  });

  it('streams thinking, and returns complete signed blocks to be sent back', async () => {
    const calls = [{ id: 'toolu_1', name: 'look', arguments: '{"at":"it"}' }];
    fake.next(
      messageReply({
        thinking: { text: 'Let me see.', signature: 'EqoBCkgIARABGAIiQL' },
        redacted: 'EmwKAhgBEgy3va3pzix',
        toolCalls: calls,
      }),
      messageReply({ text: 'Done' }),
    );
    const config = { extendedThinking: true, thinkingBudget: 2000, maxTokens: 4000 };
    const first = await ask(model(), { config });
    expect(textOf(first, 'thinking')).toBe('Let me see.');
    const thinking = first.flatMap((event) => (event.type === 'thinking_block' ? [event.block] : []));
    const toolCalls = first.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []));

    await ask(model(), {
      config,
      messages: [
        { role: 'user', text: 'Look' },
        { role: 'assistant', text: '', toolCalls, thinking },
        { role: 'tool', callId: 'toolu_1', name: 'look', text: 'seen', isError: false },
      ],
    });
    expect(fake.requests[1]?.body.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'EqoBCkgIARABGAIiQL' },
        { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'it' } },
      ],
    });
    expect(fake.requests[1]?.body.thinking).toEqual({ type: 'enabled', budget_tokens: 2000 });
  });

  it('assembles parallel tool calls from their pieces, and keeps broken JSON as text', async () => {
    fake.next(
      messageReply({
        text: 'I will look.',
        toolCalls: [
          { id: 'toolu_1', name: 'look', arguments: '{"at":"a"}' },
          { id: 'toolu_2', name: 'look', arguments: '{"at":' },
          { id: 'toolu_3', name: 'wait', arguments: '' },
        ],
      }),
    );
    const events = await ask(model());
    expect(events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []))).toEqual([
      { id: 'toolu_1', name: 'look', arguments: { at: 'a' } },
      { id: 'toolu_2', name: 'look', arguments: '{"at":' },
      { id: 'toolu_3', name: 'wait', arguments: {} },
    ]);
    expect(events.at(-1)).toMatchObject({ reason: 'tool_calls' });
  });

  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['pause_turn', 'end'],
  ])('reads the stop reason %s as %s', async (stopReason, reason) => {
    fake.next(messageReply({ text: 'x', stopReason }));
    expect((await ask(model())).at(-1)).toMatchObject({ reason });
  });

  it('ends the request upstream at once when the caller aborts', async () => {
    fake.next(endingAfter(5, messageReply({ text: 'One two three four' }), { hang: true }));
    const controller = new AbortController();
    const failure = await failureOf(
      (async () => {
        for await (const event of model().stream(modelRequest({ signal: controller.signal }))) {
          if (event.type === 'text') controller.abort();
        }
      })(),
    );
    expect(failure).toMatchObject({ code: 'cancelled' });
    expect(await fake.requests[0]?.end).toBe('left');
  });

  it('gives up on a service that says nothing', async () => {
    fake.next(silence);
    // The limit includes loading the client; the request has to arrive within it.
    const failure = await failureOf(ask(model('claude-haiku-4-5', { firstEventMs: 500, idleMs: 2000 })));
    expect(failure).toMatchObject({ code: 'timeout', remedy: 'retry' });
    expect(await fake.requests[0]?.end).toBe('left');
  });

  it('treats pings as activity', async () => {
    const reply = messageReply({ text: 'Hello' });
    const ping = { send: 'event: ping\ndata: {"type":"ping"}\n\n' };
    const pings = slowly(300, { steps: Array.from({ length: 6 }, () => ping) }).steps;
    fake.next({ ...reply, steps: [...reply.steps.slice(0, 2), ...pings, ...reply.steps.slice(2)] });
    expect(textOf(await ask(model('claude-haiku-4-5', { firstEventMs: 5000, idleMs: 1000 })))).toBe('Hello');
  });

  it.each([
    ['cut by a crash', endingAfter(5, messageReply({ text: 'One two three' }), { cut: true })],
    ['closed without its end', endingAfter(5, messageReply({ text: 'One two three' }))],
    ['broken before the first byte', brokenConnection],
    [
      'malformed',
      endingAfter(2, messageReply({ text: 'x' }), { send: 'event: content_block_delta\ndata: {"type":\n\n' }),
    ],
    ['reported as overloaded midway', failingMidway('overloaded_error')],
  ])('reports a stream that is %s as a retryable failure of the provider', async (_, reply) => {
    fake.next(reply);
    expect(await failureOf(ask(model()))).toMatchObject({ code: 'provider_failed', remedy: 'retry' });
  });

  it.each([
    [401, 'authentication_error', 'provider_failed', 'other_provider', 'refused the key in ANTHROPIC_API_KEY (401'],
    [403, 'permission_error', 'provider_failed', 'other_provider', 'does not allow this with the key'],
    [404, 'not_found_error', 'unknown_model', 'none', 'no model named "claude-haiku-4-5"'],
    [413, 'request_too_large', 'invalid_request', 'none', 'longer than'],
    [429, 'rate_limit_error', 'rate_limited', 'retry', 'takes no more requests for now'],
    [500, 'api_error', 'provider_failed', 'retry', 'failed with 500'],
    [529, 'overloaded_error', 'provider_failed', 'retry', 'failed with 529'],
  ])('maps status %i to an error message', async (status, type, code, remedy, words) => {
    fake.next(anthropicError(status, type, 'invalid x-api-key sk-ant-secret'));
    const failure = await failureOf(ask(model()));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(remedyFor(failure)).toBe(remedy);
    expect((failure as Error).message).not.toContain('sk-ant');
  });

  it('reports that a prompt is too long', async () => {
    fake.next(anthropicError(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'));
    expect(await failureOf(ask(model()))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('longer than'),
    });
  });

  it('omits a setting that the model refuses', async () => {
    fake.next(
      anthropicError(400, 'invalid_request_error', '`temperature` is deprecated for this model.'),
      messageReply({ text: 'Hi' }),
    );
    expect(textOf(await ask(model(), { config: { temperature: 0.1 } }))).toBe('Hi');
    expect(fake.requests[0]?.body.temperature).toBe(0.1);
    expect(fake.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
    expect(fake.requests[1]?.body).not.toHaveProperty('temperature');
  });

  it('refuses a thinking budget that is too large before the request', async () => {
    const config = { extendedThinking: true, thinkingBudget: 4000, maxTokens: 4000 };
    expect(await failureOf(ask(model(), { config }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('must be less than max_tokens (4000)'),
    });
    expect(fake.requests.length).toBe(0);
  });
});
