import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { Model } from '../../../src/models/model.ts';
import { openAiModel } from '../../../src/models/openai/openai-model.ts';
import { openAiClient } from '../../../src/models/openai/openai-provider.ts';
import { ProviderError, remedyFor } from '../../../src/models/provider-error.ts';
import { createRejectedParameters } from '../../../src/models/rejected-parameters.ts';
import { chatReply, openAiError, rateLimited, responsesReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import { brokenConnection, endingAfter, jsonReply, silence, slowly, streamReply } from '../../support/fake-provider.ts';
import { ask, failureOf, modelRequest, openAiProvider, textOf } from '../support.ts';

let fake: Awaited<ReturnType<typeof startFakeOpenAi>>;
beforeEach(async () => {
  fake = await startFakeOpenAi();
});
afterEach(() => fake.close());

const limits = { firstEventMs: 2000, idleMs: 2000 };

function model(name: string, options: { isOpenAi?: boolean; limits?: typeof limits } = {}): Model {
  const provider = openAiProvider(fake.baseUrl, { isOpenAi: options.isOpenAi ?? false });
  return openAiModel(name, {
    provider,
    client: openAiClient(provider),
    limits: options.limits ?? limits,
    rejected: createRejectedParameters(),
  });
}

const weatherTool = {
  name: 'weather',
  description: 'The weather of a place.',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } } },
};
const twoCalls = [
  { id: 'call_1', name: 'weather', arguments: '{"place":"Paris"}' },
  { id: 'call_2', name: 'weather', arguments: '{"place":"Rome"}' },
];

describe('a model over Chat Completions', () => {
  it('streams text and ends with stop reason, usage and model name', async () => {
    fake.next(chatReply({ text: 'Bonjour le monde', usage: { input: 20, cached: 12, output: 5, reasoning: 2 } }));
    const events = await ask(model('gpt-4.1'));
    expect(events.filter((event) => event.type === 'text').length).toBe(3);
    expect(textOf(events)).toBe('Bonjour le monde');
    expect(events.at(-1)).toEqual({
      type: 'stop',
      reason: 'end',
      usage: { input: 20, cachedInput: 12, output: 5, reasoning: 2 },
      model: 'openai/gpt-4.1',
      snapshot: 'openai/gpt-4.1-2025-04-14',
    });
  });

  it('requests usage and sends the key', async () => {
    fake.next(chatReply({ text: 'Hi' }));
    await ask(model('gpt-4.1'));
    expect(fake.requests[0]?.path).toBe('/v1/chat/completions');
    expect(fake.requests[0]?.headers.authorization).toBe('Bearer sk-test-secret');
    expect(fake.requests[0]?.body).toEqual({
      model: 'gpt-4.1',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('assembles parallel tool calls from their pieces', async () => {
    fake.next(chatReply({ text: 'Let me look.', toolCalls: twoCalls }));
    const events = await ask(model('gpt-4.1'), { tools: [weatherTool] });
    expect(events.filter((event) => event.type === 'tool_call')).toEqual([
      { type: 'tool_call', call: { id: 'call_1', name: 'weather', arguments: { place: 'Paris' } } },
      { type: 'tool_call', call: { id: 'call_2', name: 'weather', arguments: { place: 'Rome' } } },
    ]);
    expect(events.at(-1)).toMatchObject({ reason: 'tool_calls' });
  });

  it('accepts a server that reports no usage', async () => {
    fake.next(chatReply({ text: 'Hi', usage: null }));
    expect((await ask(model('llama3'))).at(-1)).toMatchObject({
      usage: { input: 0, cachedInput: 0, output: 0, reasoning: 0 },
    });
  });

  it('separates thinking from text', async () => {
    fake.next(chatReply({ thinking: 'The user greets.', text: 'Hello!' }));
    const events = await ask(model('deepseek-r2'));
    expect(textOf(events, 'thinking')).toBe('The user greets.');
    expect(textOf(events)).toBe('Hello!');
  });

  it('ends the request upstream at once when the caller aborts', async () => {
    fake.next(endingAfter(3, chatReply({ text: 'One two three four' }), { hang: true }));
    const controller = new AbortController();
    const failure = await failureOf(
      (async () => {
        for await (const event of model('gpt-4.1').stream(modelRequest({ signal: controller.signal }))) {
          if (event.type === 'text') controller.abort();
        }
      })(),
    );
    expect(failure).toMatchObject({ code: 'cancelled' });
    expect(await fake.requests[0]?.end).toBe('left');
  });

  it('ends the request upstream when the reader stops reading', async () => {
    fake.next(endingAfter(3, chatReply({ text: 'One two three four' }), { hang: true }));
    for await (const _ of model('gpt-4.1').stream(modelRequest())) break;
    expect(await fake.requests[0]?.end).toBe('left');
  });

  it('sends no request for a signal that is already aborted', async () => {
    const failure = await failureOf(ask(model('gpt-4.1'), { signal: AbortSignal.abort() }));
    expect(failure).toMatchObject({ code: 'cancelled' });
    expect(fake.requests.length).toBe(0);
  });

  it('gives up on a server that says nothing', async () => {
    fake.next(silence);
    const failure = await failureOf(ask(model('gpt-4.1', { limits: { firstEventMs: 500, idleMs: 2000 } })));
    expect(failure).toMatchObject({ code: 'timeout' });
    expect(remedyFor(failure)).toBe('retry');
    expect(await fake.requests[0]?.end).toBe('left');
  });

  it('gives up on a server that falls silent midway', async () => {
    fake.next(endingAfter(3, chatReply({ text: 'One two three' }), { hang: true }));
    const failure = await failureOf(ask(model('gpt-4.1', { limits: { firstEventMs: 2000, idleMs: 60 } })));
    expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('middle of its answer') });
  });

  it('waits for a slow server that keeps sending', async () => {
    fake.next(slowly(40, chatReply({ text: 'One two three four five' })));
    const events = await ask(model('gpt-4.1', { limits: { firstEventMs: 300, idleMs: 300 } }));
    expect(textOf(events)).toBe('One two three four five');
  });

  it('does not count the time of its consumer as inactivity', async () => {
    fake.next(chatReply({ text: 'One two' }));
    const said: string[] = [];
    const events = model('gpt-4.1', { limits: { firstEventMs: 2000, idleMs: 50 } }).stream(modelRequest());
    for await (const event of events) {
      await new Promise((resolve) => setTimeout(resolve, 90));
      if (event.type === 'text') said.push(event.text);
    }
    expect(said.join('')).toBe('One two');
  });

  it.each([
    ['cut by a crash', endingAfter(3, chatReply({ text: 'One two three' }), { cut: true })],
    ['closed without its end', endingAfter(3, chatReply({ text: 'One two three' }))],
    ['broken before the first byte', brokenConnection],
    ['malformed', streamReply([{ data: '{"choices":[{"del' }])],
    ['failing midway', streamReply([{ data: { error: { message: 'no GPU left', type: 'server_error' } } }])],
  ])('reports a stream that is %s as a retryable failure of the provider', async (_, reply) => {
    fake.next(reply);
    const failure = await failureOf(ask(model('gpt-4.1')));
    expect(failure).toBeInstanceOf(ProviderError);
    expect(failure).toMatchObject({ code: 'provider_failed', remedy: 'retry' });
  });

  it.each([
    [401, 'provider_failed', 'OpenAI refused the key in OPENAI_API_KEY (401 invalid_api_key). ', 'invalid_api_key'],
    [403, 'provider_failed', 'OpenAI does not allow this with the key in OPENAI_API_KEY', 'unsupported_country'],
    [404, 'unknown_model', 'OpenAI has no model named "gpt-4.1"', 'model_not_found'],
    [400, 'invalid_request', 'longer than OpenAI\'s model "gpt-4.1" can read', 'context_length_exceeded'],
    [400, 'invalid_request', 'refused the request for model "gpt-4.1" as invalid (400 bad_thing)', 'bad_thing'],
    [429, 'provider_failed', 'has no credit left', 'insufficient_quota'],
    [500, 'provider_failed', 'OpenAI failed with 500', 'server_error'],
    [503, 'provider_failed', 'OpenAI failed with 503', 'overloaded'],
  ])('maps status %i to the code %s', async (status, code, words, detail) => {
    fake.next(openAiError(status, 'Incorrect API key provided: sk-test-secret.', { code: detail }));
    const failure = await failureOf(ask(model('gpt-4.1')));
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({ code, message: expect.stringContaining(words) });
    expect((failure as Error).message).not.toContain('sk-test');
  });

  it('does not call a server unreachable that broke off its answer', async () => {
    fake.next(endingAfter(3, chatReply({ text: 'One two three' }), { cut: true }));
    expect(await failureOf(ask(model('gpt-4.1')))).toMatchObject({
      message: expect.stringMatching(/^OpenAI broke off the connection before its answer was complete \(/),
    });
  });

  it('includes the time to wait in the error', async () => {
    fake.next(rateLimited('7'));
    const failure = await failureOf(ask(model('gpt-4.1')));
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfter: 7, remedy: 'retry' });
  });

  it('names the address that does not answer', async () => {
    const provider = openAiProvider('http://127.0.0.1:9/v1');
    const unreachable = openAiModel('gpt-4.1', {
      provider,
      client: openAiClient(provider),
      limits,
      rejected: createRejectedParameters(),
    });
    expect(await failureOf(ask(unreachable))).toMatchObject({
      code: 'provider_failed',
      remedy: 'retry',
      message: expect.stringMatching(/OpenAI could not be reached.* at http:\/\/127\.0\.0\.1:9\/v1.*OPENAI_BASE_URL/),
    });
  });

  it('reports a wrong address when another kind of server answers', async () => {
    fake.next({ status: 404, headers: { 'content-type': 'text/plain' }, steps: [{ send: '' }] });
    expect(await failureOf(ask(model('gpt-4.1')))).toMatchObject({
      code: 'provider_failed',
      message: expect.stringContaining('Check OPENAI_BASE_URL'),
    });
  });

  it('omits a setting that the server refuses', async () => {
    fake.next(
      openAiError(400, "Unsupported value: 'temperature' does not support 0.1 with this model.", {
        param: 'temperature',
        code: 'unsupported_value',
      }),
      openAiError(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        { param: 'max_tokens', code: 'unsupported_parameter' },
      ),
      chatReply({ text: 'Hi' }),
    );
    const events = await ask(model('gpt-5'), { config: { temperature: 0.1, maxTokens: 50 } });
    expect(textOf(events)).toBe('Hi');
    expect(fake.requests[2]?.body).not.toHaveProperty('temperature');
    expect(fake.requests[2]?.body).not.toHaveProperty('max_tokens');
    expect(fake.requests[2]?.body).toHaveProperty('max_completion_tokens', 50);
  });

  it('never omits a setting that the answer depends on', async () => {
    fake.next(openAiError(400, 'Invalid schema for tool', { param: 'tools[0].function.parameters' }));
    expect(await failureOf(ask(model('gpt-4.1'), { tools: [weatherTool] }))).toMatchObject({ code: 'invalid_request' });
    expect(fake.requests.length).toBe(1);
  });
});

describe('a model of OpenAI itself, over Responses', () => {
  const openAi = (name = 'gpt-6.1-sol') => model(name, { isOpenAi: true });

  it('streams thinking, text and usage', async () => {
    fake.next(
      responsesReply({
        thinking: 'First I greet.',
        text: 'Hello there',
        usage: { input: 30, cached: 10, output: 9, reasoning: 4 },
      }),
    );
    const events = await ask(openAi(), { config: { extendedThinking: true } });
    expect(fake.requests[0]?.path).toBe('/v1/responses');
    expect(textOf(events, 'thinking')).toBe('First I greet.');
    expect(textOf(events)).toBe('Hello there');
    expect(events.at(-1)).toEqual({
      type: 'stop',
      reason: 'end',
      usage: { input: 30, cachedInput: 10, output: 9, reasoning: 4 },
      model: 'openai/gpt-6.1-sol',
    });
  });

  it('sends its thinking back with the tool results it led to', async () => {
    fake.next(
      responsesReply({ thinking: 'I need the weather.', toolCalls: twoCalls }),
      responsesReply({ text: 'Sunny' }),
    );
    const first = await ask(openAi(), { tools: [weatherTool] });
    const thinking = first.flatMap((event) => (event.type === 'thinking_block' ? [event.block] : []));
    const toolCalls = first.flatMap((event) => (event.type === 'tool_call' ? [event.call] : []));
    expect(toolCalls.map((call) => call.arguments)).toEqual([{ place: 'Paris' }, { place: 'Rome' }]);
    expect(first.at(-1)).toMatchObject({ reason: 'tool_calls' });

    await ask(openAi(), {
      tools: [weatherTool],
      messages: [
        { role: 'user', text: 'Weather?' },
        { role: 'assistant', text: '', toolCalls, thinking },
        { role: 'tool', callId: 'call_1', name: 'weather', text: 'sun', isError: false },
        { role: 'tool', callId: 'call_2', name: 'weather', text: 'rain', isError: false },
      ],
    });
    expect(fake.requests[1]?.body.input).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'I need the weather.' }],
        encrypted_content: 'gAAAA-encrypted',
      },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"place":"Paris"}' },
      { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"place":"Rome"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sun' },
      { type: 'function_call_output', call_id: 'call_2', output: 'rain' },
    ]);
  });

  it.each([
    [responsesReply({ text: 'Half', incomplete: 'max_output_tokens' }), 'length'],
    [responsesReply({ text: 'Half', incomplete: 'content_filter' }), 'refusal'],
    [responsesReply({ refusal: 'I cannot help with that.' }), 'refusal'],
  ])('says why it stopped (%#)', async (reply, reason) => {
    fake.next(reply);
    const events = await ask(openAi());
    expect(events.at(-1)).toMatchObject({ reason });
    expect(textOf(events)).not.toBe('');
  });

  it.each([
    ['server_error', 'provider_failed', 'retry'],
    ['rate_limit_exceeded', 'rate_limited', 'retry'],
    ['invalid_prompt', 'invalid_request', 'none'],
  ])('reports a response that failed with %s', async (failed, code, remedy) => {
    fake.next(responsesReply({ failed }));
    const failure = await failureOf(ask(openAi()));
    expect(failure).toMatchObject({ code });
    expect(remedyFor(failure)).toBe(remedy);
  });

  it('omits the thinking summary when the account may not request it', async () => {
    fake.next(
      openAiError(400, 'Your organization must be verified to generate reasoning summaries.', {
        param: 'reasoning.summary',
        code: 'unsupported_value',
      }),
      responsesReply({ text: 'Hi' }),
    );
    await ask(openAi(), { config: { extendedThinking: true, thinkingBudget: 5000 } });
    expect(fake.requests[0]?.body.reasoning).toEqual({ effort: 'medium', summary: 'auto' });
    expect(fake.requests[1]?.body.reasoning).toEqual({ effort: 'medium' });
  });

  it.each(['gpt-4.1', 'gpt-5'])('says where to look when the address answers with a web page (%s)', async (name) => {
    const page = { headers: { 'content-type': 'text/html' }, steps: [{ send: '<html><body>Welcome</body></html>' }] };
    fake.next(page);
    const failure = await failureOf(ask(model(name, { isOpenAi: name === 'gpt-5' })));
    expect(failure).toMatchObject({
      message: expect.stringMatching(/sent no answer\. Check that OPENAI_BASE_URL is the address of its API: http/),
    });
  });

  it('reports a truncated stream', async () => {
    fake.next(endingAfter(6, responsesReply({ text: 'One two three' }), { cut: true }));
    expect(await failureOf(ask(openAi()))).toMatchObject({ code: 'provider_failed', remedy: 'retry' });
  });

  it('reports an error page of a proxy', async () => {
    fake.next(jsonReply('upstream connect error', { status: 502 }));
    expect(await failureOf(ask(openAi()))).toMatchObject({ code: 'provider_failed', remedy: 'retry' });
  });
});
