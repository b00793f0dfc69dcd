import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatReply, openAiError, startFakeOpenAi } from '../../support/fake-openai.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

const lisbon = 'The capital of Portugal is Lisbon. It lies on the Tagus.';
const question = { role: 'user', content: 'What is the capital of Portugal?' } as const;

interface Annotation {
  readonly type: string;
  readonly url_citation: { readonly start_index: number; readonly end_index: number; readonly url: string };
  readonly citation: { readonly quotes: readonly { readonly text: string }[]; readonly verdict?: string };
}

async function open(models?: Parameters<typeof startCitewell>[0]): Promise<[RunningHttp, OpenAI]> {
  const http = await startCitewell(models);
  await http.post('/v3/documents', { raw_text: lisbon, metadata: { title: 'Capitals' } });
  return [http, new OpenAI({ baseURL: `${http.url}/v1`, apiKey: 'none', maxRetries: 0 })];
}

describe('with a language model', () => {
  it('names the whole address of an unknown route', async () => {
    const response = await fetch(`${http.url}/v1/completions`, { method: 'POST' });
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('POST /v1/completions')]);
  });

  let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
  let http: RunningHttp;
  let client: OpenAI;

  beforeAll(async () => {
    provider = await startFakeOpenAi();
    [http, client] = await open({
      models: {
        providers: [{ name: 'fake', baseUrl: provider.baseUrl }],
        models: { quality: 'fake/gpt' },
        retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 },
      },
    });
  });
  afterAll(async () => {
    await http.close();
    await provider.close();
  });

  it('answers from the documents, with the citations as annotations of the message', async () => {
    provider.next(chatReply({ text: 'Portugal is governed from Lisbon [1].' }));
    const completion = await client.chat.completions.create({ model: 'citewell/rag', messages: [question] });
    const message = completion.choices[0]?.message;
    const [annotation] = (message?.annotations ?? []) as unknown as Annotation[];
    const { start_index, end_index, url } = annotation?.url_citation ?? { start_index: 0, end_index: 0, url: '' };
    expect(message?.content?.slice(start_index, end_index)).toBe('[1]');
    expect(annotation?.citation.quotes[0]?.text).toBe('The capital of Portugal is Lisbon.');
    expect(url).toMatch(new RegExp(`^${http.url}/d/[0-9a-f-]{36}\\?q=0-34$`));
    const page = await fetch(url, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.prompt_tokens).toBe(11);
  });

  it('streams the answer once, and its annotations point into it', async () => {
    const call = { id: 'call_1', name: 'search_file_knowledge', arguments: '{"query":"capital of Portugal"}' };
    provider.next(chatReply({ text: 'Let me look.', toolCalls: [call] }));
    provider.next(chatReply({ text: 'It is Lisbon [1].' }));
    const stream = await client.chat.completions.create({
      model: 'citewell/agent:fake/gpt',
      messages: [question],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let annotations: readonly Annotation[] = [];
    let finish: string | null | undefined;
    let total: number | undefined;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      text += choice?.delta.content ?? '';
      annotations = (choice?.delta as { annotations?: readonly Annotation[] } | undefined)?.annotations ?? annotations;
      finish = choice?.finish_reason ?? finish;
      total = chunk.usage?.total_tokens ?? total;
    }
    expect(text).toBe('It is Lisbon [1].');
    expect(annotations.map(({ url_citation: at }) => text.slice(at.start_index, at.end_index))).toEqual(['[1]']);
    expect(annotations[0]?.citation.verdict).toBeDefined();
    expect(finish).toBe('stop');
    expect(total).toBe(36);
  });

  it('does not stream a draft before its review', async () => {
    const draft = `It is Porto. ${'Much else is said of it. '.repeat(30)}`;
    const issues = [{ severity: 'high', type: 'facts', explanation: 'Wrong town.' }];
    provider.next(chatReply({ text: draft }));
    provider.next(chatReply({ text: JSON.stringify({ verdict: 'major_issues', summary: 'So.', issues }) }));
    provider.next(chatReply({ text: 'It is Lisbon.' }));
    const stream = await client.chat.completions.create({
      model: 'citewell/research:fake/gpt',
      messages: [question],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('It is Lisbon.');
  });

  it('sends the caller’s conversation to the model, and stores none of it', async () => {
    provider.next(chatReply({ text: 'On the Tagus.' }));
    await client.chat.completions.create({
      model: 'citewell',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        question,
        { role: 'assistant', content: 'Lisbon [1].' },
        { role: 'user', content: 'On which river?' },
      ],
    });
    const messages: { role: string; content: string }[] = provider.requests.at(-1)?.body.messages;
    expect(messages[0]?.content).toContain('Be brief.');
    expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', question.content],
      ['assistant', 'Lisbon.'],
      ['user', 'On which river?'],
    ]);
    const kept = (await (await fetch(`${http.url}/v3/conversations`)).json()) as { total_entries: number };
    expect(kept.total_entries).toBe(0);
  });

  it('passes a response format on to the model', async () => {
    provider.next(chatReply({ text: '{"city": "Lisbon [1]"}' }));
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const format = { type: 'json_schema', json_schema: { name: 'city', schema, strict: true } } as const;
    const asked = { model: 'citewell/rag', messages: [question], response_format: format };
    const completion = await client.chat.completions.create(asked);
    expect(completion.choices[0]?.message.content).toContain('"city"');
    expect(provider.requests.at(-1)?.body.response_format).toEqual(format);
  });

  it.each([true, false])(
    'passes members on that only concern the model, but no values without effect (streamed: %s)',
    async (stream) => {
      provider.next(chatReply({ text: 'It is Lisbon.' }));
      const passed = {
        temperature: 0.3,
        top_p: 0.9,
        seed: 7,
        frequency_penalty: 0.5,
        presence_penalty: -0.5,
        logit_bias: { 50256: -100 },
      };
      const answered = await client.chat.completions.create({
        ...passed,
        model: 'citewell/rag',
        messages: [question],
        stream,
        max_completion_tokens: 300,
        reasoning_effort: 'low',
      });
      if (Symbol.asyncIterator in answered) for await (const _ of answered);
      const sent = provider.requests.at(-1)?.body;
      expect(sent).toMatchObject({ ...passed, max_tokens: 300, reasoning_effort: 'low' });

      provider.next(chatReply({ text: 'It is Lisbon.' }));
      const idle = { frequency_penalty: 0, presence_penalty: 0, logit_bias: {}, seed: null, user: 'ada', metadata: {} };
      await client.chat.completions.create({ ...idle, model: 'citewell/rag', messages: [question] });
      const members = Object.keys(provider.requests.at(-1)?.body);
      expect(members.sort()).toEqual(['messages', 'model', 'stream', 'stream_options']);
    },
  );

  it('answers with the refusal of a provider that does not take a member', async () => {
    provider.next(openAiError(400, "Unsupported parameter: 'seed' is not supported with this model."));
    const asked = client.chat.completions.create({ model: 'citewell/rag', messages: [question], seed: 7 });
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining("'seed'") });
  });

  it('reports a failure in the stream so that clients throw it', async () => {
    const reply = chatReply({ text: 'It is Lisbon.' });
    provider.next({ ...reply, steps: [...reply.steps.slice(0, 3), { cut: true }] });
    const stream = await client.chat.completions.create({
      model: 'citewell/rag',
      messages: [question],
      stream: true,
    });
    const read = async () => {
      for await (const chunk of stream) void chunk;
    };
    await expect(read()).rejects.toThrow();
  });

  it('answers a failure before the first word with its status', async () => {
    provider.next(openAiError(500, 'no'));
    const failed = client.chat.completions.create({ model: 'citewell/rag', messages: [question] });
    await expect(failed).rejects.toMatchObject({ status: 502 });
  });
});

describe('without a language model', () => {
  let http: RunningHttp;
  let client: OpenAI;
  beforeAll(async () => {
    [http, client] = await open();
  });
  afterAll(() => http.close());

  it.each(['citewell', 'citewell/rag', 'citewell/agent'])('%s answers by quoting and says so', async (model) => {
    const completion = await client.chat.completions.create({ model, messages: [question] });
    expect(completion.choices[0]?.message.content).toContain('The capital of Portugal is Lisbon.');
    expect(completion).toMatchObject({ model, language_model: 'builtin/extractive' });
  });

  it('embeds texts as it embeds the documents, in both encodings', async () => {
    const input = ['The ferry leaves at nine.', 'The museum is closed.'];
    // The client asks for base64 by itself.
    const packed = await client.embeddings.create({ model: 'citewell', input });
    const floats = await client.embeddings.create({ model: packed.model, input, encoding_format: 'float' });
    expect(packed.data.map(({ embedding }) => embedding)).toEqual(floats.data.map(({ embedding }) => embedding));
    const own = await http.post('/v3/retrieval/embedding', { text: input[1] });
    const { results } = (await own.json()) as { readonly results: readonly number[] };
    expect(packed.data[1]?.embedding).toEqual(results);
    expect(packed.usage.prompt_tokens).toBeGreaterThan(5);
    const refused = (more: object) => client.embeddings.create({ model: 'citewell', input, ...more } as never);
    await expect(refused({ model: 'text-embedding-3-small' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
    await expect(refused({ dimensions: 3 })).rejects.toMatchObject({ status: 400, param: 'dimensions' });
    await expect(refused({ input: [[1, 2]] })).rejects.toThrow('lists of token numbers are not supported');
  });

  it('lists the models that answer, and the one that embeds', async () => {
    const models = await Array.fromAsync(client.models.list());
    const embedder = (await client.embeddings.create({ model: 'citewell', input: 'a' })).model;
    expect(models.map(({ id }) => id)).toEqual([
      'citewell',
      'citewell/rag',
      'citewell/agent',
      'citewell/research',
      embedder,
    ]);
    expect(models.at(-1)).toMatchObject({ type: 'embeddings' });
    expect((await client.models.retrieve('citewell/rag')).id).toBe('citewell/rag');
    expect(await client.models.retrieve(embedder)).toEqual(models.at(-1));
    const answer = client.chat.completions.create({ model: embedder, messages: [question] });
    await expect(answer).rejects.toMatchObject({ status: 404, param: 'model' });
  });

  const refusals: [string, object, number][] = [
    ['an unknown kind', { model: 'citewell/poet' }, 404],
    ['a name without provider', { model: 'gpt-4' }, 404],
    ['a provider that is not configured', { model: 'openai/gpt-4.1' }, 503],
    ['no messages', { messages: [] }, 400],
    ['an answer as the last message', { messages: [{ role: 'assistant', content: 'Yes.' }] }, 400],
    ['several answers', { n: 2 }, 400],
    ['a tool that is no function', { tools: [{ type: 'custom', custom: { name: 'now' } }] }, 400],
    ['a result without its call', { messages: [question, { role: 'tool', tool_call_id: 'a', content: '9' }] }, 400],
    ['stop sequences', { stop: ['\n'] }, 400],
    ['JSON without a schema', { response_format: { type: 'json_object' } }, 400],
    ['a forced call', { tool_choice: { type: 'function', function: { name: 'now' } } }, 400],
    ['a picture', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }, 400],
  ];
  it.each(refusals)('refuses %s in OpenAI’s error format', async (_, change, status) => {
    const body = { model: 'citewell/rag', messages: [question], ...change };
    const failed = await client.chat.completions.create(body as never).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(APIError);
    expect(failed).toMatchObject({ status, error: { message: expect.any(String) } });
  });

  const withoutMeaning: [string, unknown, unknown][] = [
    ['logprobs', true, false],
    ['top_logprobs', 3, 0],
    ['audio', { voice: 'alloy', format: 'mp3' }, null],
    ['prediction', { type: 'content', content: 'Lisbon' }, null],
    ['verbosity', 'low', 'medium'],
    ['web_search_options', {}, null],
    ['function_call', { name: 'now' }, 'auto'],
    ['store', true, false],
    ['service_tier', 'flex', 'auto'],
    ['moderation', {}, null],
    ['stop', ['x'], []],
    ['n', 2, 1],
    ['frequency_penalty', 3, 1],
  ];
  it.each(withoutMeaning)(
    'refuses %s by name, streamed or not, and accepts its default value',
    async (param, wish, none) => {
      const create = (change: object) =>
        client.chat.completions.create({ model: 'citewell/rag', messages: [question], ...change } as never);
      for (const stream of [true, false]) {
        await expect(create({ stream, [param]: wish })).rejects.toMatchObject({ status: 400, param });
      }
      await expect(create({ [param]: none })).resolves.toMatchObject({ object: 'chat.completion' });
    },
  );

  it('accepts members without effect, and names those it refuses', async () => {
    const create = (change: object) =>
      client.chat.completions.create({ model: 'citewell/rag', messages: [question], ...change } as never);
    const harmless = { tools: [], stop: null, response_format: { type: 'text' } };
    await expect(create(harmless)).resolves.toMatchObject({ object: 'chat.completion' });
    const tools = [{ type: 'function', function: { name: 'now' } }];
    await expect(create({ tools, tool_choice: 'none' })).resolves.toMatchObject({ object: 'chat.completion' });
    // Nothing here could call it.
    await expect(create({ tools })).resolves.toMatchObject({ object: 'chat.completion' });
    await expect(create({ tools: [...tools, ...tools] })).rejects.toMatchObject({ param: 'tools.1' });
    await expect(create({ tools, tool_choice: 'required' })).rejects.toMatchObject({ param: 'tool_choice' });
    await expect(create({ functions: [{ name: 'now' }] })).rejects.toMatchObject({ param: 'functions' });
    await expect(create({ modalities: ['text', 'audio'] })).rejects.toMatchObject({ param: 'modalities.1' });
    const padded = { stream: true, stream_options: { include_obfuscation: true } };
    await expect(create(padded)).rejects.toMatchObject({ param: 'stream_options.include_obfuscation' });
    // Nothing here could write JSON.
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };
    await expect(create({ response_format: format })).rejects.toMatchObject({ param: 'response_format' });
  });
});
