import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { ModelEvent } from '../../../src/models/model.ts';
import { type ScriptedModels, saying, scriptedModels } from '../support/scripted-models.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

let http: RunningHttp | undefined;
afterEach(() => http?.close());

async function completing(says: Parameters<typeof scriptedModels>[0]) {
  const models: ScriptedModels = scriptedModels(says);
  http = await startHttp({ models });
  const { post } = http;
  return { models, complete: (body: unknown, init?: RequestInit) => post('/v3/retrieval/completion', body, init) };
}

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
];

describe('a completion', () => {
  it('is a chat.completion object', async () => {
    const { models, complete } = await completing(() => saying('Hel', 'lo'));
    const response = await complete({
      messages,
      generation_config: { maxTokens: 9, topP: 0.5, extendedThinking: false },
    });
    expect(await response.json()).toEqual({
      results: {
        id: expect.stringMatching(/^chatcmpl-/),
        choices: [
          {
            finish_reason: 'stop',
            index: 0,
            message: {
              role: 'assistant',
              content: 'Hello',
              refusal: null,
              function_call: null,
              tool_calls: null,
              structured_content: null,
            },
          },
        ],
        created: expect.any(Number),
        model: 'openai/gpt-test',
        object: 'chat.completion',
        service_tier: null,
        system_fingerprint: null,
        usage: {
          prompt_tokens: 3,
          completion_tokens: 2,
          total_tokens: 5,
          prompt_tokens_details: { cached_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
    });
    expect(models.asked[0]).toMatchObject({
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'Hi' },
      ],
      tools: [],
      config: { maxTokens: 9, topP: 0.5, extendedThinking: false },
    });
  });

  it('is streamed as message events and the terminator', async () => {
    const { complete } = await completing(() => saying('Hel', 'lo'));
    const text = await (await complete({ messages, generation_config: { stream: true } })).text();
    expect(text.replaceAll(/msg_[0-9a-f]{8}/g, 'msg_1')).toBe(
      'event: message\ndata: {"id":"msg_1","object":"agent.message.delta","delta":{"content":[{"type":"text","payload":{"value":"Hel","annotations":[]}}]}}\n\n' +
        'event: message\ndata: {"id":"msg_1","object":"agent.message.delta","delta":{"content":[{"type":"text","payload":{"value":"lo","annotations":[]}}]}}\n\n' +
        'event: done\ndata: [DONE]\n\n',
    );
  });

  it('reads text parts and tool messages', async () => {
    const { models, complete } = await completing(() => saying('ok'));
    await complete({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
        { role: 'tool', tool_call_id: '1', name: 'f', content: 'done' },
      ],
    });
    expect(models.asked[0]?.messages).toEqual([
      { role: 'user', text: 'a\nb' },
      { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'f', arguments: { x: 1 } }] },
      { role: 'tool', callId: '1', name: 'f', text: 'done', isError: false },
    ]);
  });

  it.each<[string, unknown, number, RegExp]>([
    ['no messages', {}, 422, /messages: Field required/],
    ['an empty list', { messages: [] }, 422, /messages/],
    ['a role nobody has', { messages: [{ role: 'oracle', content: 'x' }] }, 422, /messages\.0\.role/],
    ['a temperature of 3', { messages, generation_config: { temperature: 3 } }, 422, /temperature/],
    ['a model nobody has', { messages, generation_config: { model: 'x/y' } }, 400, /No model is named "x\/y"/],
    ['an unknown model, streamed', { messages, generation_config: { model: 'x/y', stream: true } }, 400, /No model/],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      400,
      /"image_url" is not supported/,
    ],
  ])('is refused with %s', async (_, body, status, message) => {
    const { complete } = await completing(() => saying('never'));
    const response = await complete(body);
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ message: expect.stringMatching(message) }),
    ]);
  });

  it('passes on when to try again after a rate limit', async () => {
    const { complete } = await completing(async function* (): AsyncGenerator<ModelEvent> {
      yield* await Promise.reject<ModelEvent[]>(new ServiceError('rate_limited', 'Slow down.', { retryAfter: 7 }));
    });
    for (const stream of [false, true]) {
      const response = await complete({ messages, generation_config: { stream } });
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    }
  });

  it('cancels the model when its client disconnects', async () => {
    const cancelled = Promise.withResolvers<void>();
    const { complete } = await completing(async function* ({ signal }): AsyncGenerator<ModelEvent> {
      signal.addEventListener('abort', () => cancelled.resolve());
      for (;;) {
        signal.throwIfAborted();
        yield { type: 'text', text: 'on and on ' };
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    const leaving = new AbortController();
    const response = await complete({ messages, generation_config: { stream: true } }, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await cancelled.promise;
  });
});
