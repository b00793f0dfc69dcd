import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

const lisbon = 'The capital of Portugal is Lisbon. It lies on the Tagus.';
const question = 'What is the capital of Portugal?';

interface Annotation {
  readonly type: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly url: string;
  readonly citation: { readonly quotes: readonly { readonly text: string }[] };
}

async function open(models?: Parameters<typeof startCitewell>[0]): Promise<[RunningHttp, OpenAI]> {
  const http = await startCitewell(models);
  await http.post('/v3/documents', { raw_text: lisbon, metadata: { title: 'Capitals' } });
  return [http, new OpenAI({ baseURL: `${http.url}/v1`, apiKey: 'none', maxRetries: 0 })];
}

const annotationsOf = (output: OpenAI.Responses.Response['output']): readonly Annotation[] =>
  output.flatMap((item) =>
    item.type === 'message'
      ? item.content.flatMap((part) =>
          part.type === 'output_text' ? (part.annotations as unknown as Annotation[]) : [],
        )
      : [],
  );

describe('with a language model', () => {
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

  it('answers from the documents, with the citations as annotations of the text', async () => {
    provider.next(chatReply({ text: 'Portugal is governed from Lisbon [1].' }));
    const response = await client.responses.create({ model: 'citewell/rag', input: question, metadata: { case: '7' } });
    expect(response.output_text).toBe('Portugal is governed from Lisbon [1].');
    const [annotation] = annotationsOf(response.output);
    expect(response.output_text.slice(annotation?.start_index, annotation?.end_index)).toBe('[1]');
    expect(annotation?.citation.quotes[0]?.text).toBe('The capital of Portugal is Lisbon.');
    expect(annotation?.url).toMatch(/\/d\/[0-9a-f-]{36}\?q=0-34$/);
    expect(response).toMatchObject({ status: 'completed', error: null, metadata: { case: '7' } });
    expect(response.usage?.input_tokens).toBe(11);
  });

  it('streams events from which the SDK builds the same response', async () => {
    const call = { id: 'call_1', name: 'search_file_knowledge', arguments: '{"query":"capital of Portugal"}' };
    provider.next(chatReply({ text: 'Let me look.', toolCalls: [call] }));
    provider.next(chatReply({ text: 'It is Lisbon [1].' }));
    const stream = client.responses.stream({ model: 'citewell/agent:fake/gpt', input: question });
    const types: string[] = [];
    let text = '';
    for await (const event of stream) {
      expect(event.sequence_number).toBe(types.length);
      types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    const whole = await stream.finalResponse();
    expect(text).toBe('It is Lisbon [1].');
    expect(whole.output_text).toBe(text);
    expect(annotationsOf(whole.output).map((at) => text.slice(at.start_index, at.end_index))).toEqual(['[1]']);
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.completed');
    expect(types).toContain('response.output_text.annotation.added');
    expect(whole.usage?.total_tokens).toBe(36);
  });

  it('streams the model’s reasoning as an item of its own', async () => {
    provider.next(chatReply({ thinking: 'Portugal, so Lisbon.', text: 'It is Lisbon [1].' }));
    const asked = { model: 'citewell/rag', input: question, reasoning: { summary: 'auto' } } as const;
    const stream = client.responses.stream(asked);
    let reasoning = '';
    stream.on('response.reasoning_text.delta', ({ delta }) => {
      reasoning += delta;
    });
    const { output } = await stream.finalResponse();
    expect(reasoning).toBe('Portugal, so Lisbon.');
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('sends the instructions and the conversation to the model, and stores none of it', async () => {
    provider.next(chatReply({ text: 'On the Tagus.' }));
    await client.responses.create({
      model: 'citewell',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: question },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Lisbon [1].', annotations: [] }],
        },
        { role: 'user', content: [{ type: 'input_text', text: 'On which river?' }] },
      ],
    });
    const messages: { role: string; content: string }[] = provider.requests.at(-1)?.body.messages;
    expect(messages[0]?.content).toContain('Be brief.');
    expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', question],
      ['assistant', 'Lisbon.'],
      ['user', 'On which river?'],
    ]);
    const kept = (await (await fetch(`${http.url}/v3/conversations`)).json()) as { total_entries: number };
    expect(kept.total_entries).toBe(0);
  });

  it('passes a text format on to the model', async () => {
    provider.next(chatReply({ text: '{"city": "Lisbon [1]"}' }));
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const format = { type: 'json_schema', name: 'city', schema, strict: true } as const;
    await client.responses.create({ model: 'citewell/rag', input: question, text: { format } });
    expect(provider.requests.at(-1)?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'city', schema, strict: true },
    });
  });

  it('says that a limit ended the answer', async () => {
    provider.next(chatReply({ text: 'It is', finishReason: 'length' }));
    const response = await client.responses.create({ model: 'citewell/rag', input: question, max_output_tokens: 2 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  it('ends a stream that fails with the failed response', async () => {
    const reply = chatReply({ text: 'It is Lisbon.' });
    provider.next({ ...reply, steps: [...reply.steps.slice(0, 3), { cut: true }] });
    const stream = await client.responses.create({ model: 'citewell/rag', input: question, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const last = events.at(-1);
    expect(last?.type === 'response.failed' && last.response.status).toBe('failed');
    expect(last?.type === 'response.failed' && last.response.error?.message).toMatch(
      /broke off the connection before its answer was complete/,
    );
  });
});

describe('without a language model', () => {
  let http: RunningHttp;
  let client: OpenAI;

  beforeAll(async () => {
    [http, client] = await open();
  });
  afterAll(() => http.close());

  it('quotes the documents, and says so', async () => {
    const response = await client.responses.create({ model: 'citewell', input: question });
    expect(response.output_text).toContain('The capital of Portugal is Lisbon.');
    expect(response).toMatchObject({ language_model: 'builtin/extractive' });
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }, 'not stored'],
    ['conversation', { conversation: 'conv_1' }, 'not stored'],
    ['background', { background: true }, 'background'],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }, 'only functions can be called here'],
    ['input.0.type', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'item_reference'],
    ['store', { store: true }, 'nothing is stored here'],
    ['truncation', { truncation: 'auto' }, 'not shortened'],
    ['top_logprobs', { top_logprobs: 2 }, 'log probabilities are not supported'],
    ['max_tool_calls', { max_tool_calls: 3 }, 'limited by this service'],
    ['service_tier', { service_tier: 'flex' }, 'expected "auto" or "default"'],
    ['include.1', { include: ['reasoning.encrypted_content', 'file_search_call.results'] }, 'has no effect'],
    ['text.verbosity', { text: { verbosity: 'low' } }, 'expected "medium"'],
    ['text.format', { text: { format: { type: 'json_schema', name: 'x', schema: {} } } }, 'needs a language model'],
  ] as const)('refuses %s by name', async (param, given, words) => {
    const asked = client.responses.create({ model: 'citewell', input: question, ...(given as object) });
    const error = await asked.then(() => undefined).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 400, param });
    expect((error as APIError).message).toContain(words);
  });

  it('accepts members that request the default behaviour', async () => {
    const response = await client.responses.create({
      model: 'citewell',
      input: question,
      user: 'ada',
      store: false,
      truncation: 'disabled',
      service_tier: 'auto',
      include: ['reasoning.encrypted_content'],
    });
    expect(response.output_text).toContain('Lisbon');
  });

  it('refuses pictures and empty questions', async () => {
    const picture = { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' } as const;
    const asked = (content: OpenAI.Responses.ResponseInputMessageContentList) =>
      client.responses.create({ model: 'citewell', input: [{ role: 'user', content }] });
    await expect(asked([picture])).rejects.toThrow(/"input_image" is not supported/);
    await expect(asked([{ type: 'input_text', text: ' ' }])).rejects.toThrow(/last message must be the question/);
  });

  it('says that responses are not stored', async () => {
    await expect(client.responses.retrieve('resp_1')).rejects.toThrow(/not stored/);
    await expect(client.responses.delete('resp_1')).rejects.toThrow(/not stored/);
  });
});
