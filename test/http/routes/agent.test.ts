import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAdmin, type Principal } from '../../../src/access/principal.ts';
import { chatReply, openAiError, startFakeOpenAi } from '../../support/fake-openai.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';
import { eventsOf } from '../support/stream.ts';

const lisbon = 'The capital of Portugal is Lisbon. It lies on the Tagus.';
const QUESTION = 'What is the capital of Portugal?';
const MISSING = '00000000-0000-4000-8000-000000000000';

const otherUser: Principal = { ...defaultAdmin, userId: '11111111-1111-4111-8111-111111111111', isSuperuser: false };

/** Any API key identifies another user. */
const authenticate = async ({ apiKey }: { readonly apiKey: string | undefined }) =>
  apiKey === undefined ? defaultAdmin : otherUser;

const modelSettings = (baseUrl: string) => ({
  providers: [{ name: 'fake', baseUrl }],
  models: { quality: 'fake/gpt', fast: 'fake/small', reasoning: 'fake/deep' },
  retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 },
});

const searching = chatReply({
  toolCalls: [{ id: 'call_1', name: 'search_file_knowledge', arguments: '{"query":"capital of Portugal"}' }],
});
const answering = chatReply({ text: 'It is Lisbon [1].' });
const naming = chatReply({ text: 'Capital of Portugal' });

async function addLisbon({ post }: RunningHttp): Promise<string> {
  const response = await post('/v3/documents', { raw_text: lisbon, metadata: { title: 'Capitals' } });
  const { results } = (await response.json()) as { results: { document_id: string } };
  return results.document_id;
}

describe('an agent with a language model', () => {
  let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
  let http: RunningHttp;
  let documentId: string;

  beforeAll(async () => {
    provider = await startFakeOpenAi();
    http = await startCitewell({ models: modelSettings(provider.baseUrl), authenticate });
    documentId = await addLisbon(http);
  });
  afterAll(async () => {
    await http.close();
    await provider.close();
  });

  const ask = (body: object, init?: RequestInit) =>
    http.post('/v3/retrieval/agent', 'query' in body ? body : { query: QUESTION, ...body }, init);
  const stream = { rag_generation_config: { stream: true } };
  // biome-ignore lint/suspicious/noExplicitAny: read as a client without types would
  const bodyOf = async (response: Response): Promise<any> => response.json();
  const messagesOf = async (conversationId: string) =>
    (await bodyOf(await fetch(`${http.url}/v3/conversations/${conversationId}`))).results;

  it('streams exactly these events', async () => {
    provider.next(searching, chatReply({ thinking: 'Easy.', text: 'It is Lisbon [1].' }), naming);
    const response = await ask({ rag_generation_config: { stream: true, extended_thinking: true } });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const run = response.headers.get('x-run-id');
    const conversation = response.headers.get('x-conversation-id');
    const text = await response.text();
    const [message = ''] = /msg_[0-9a-f]{8}/.exec(text) ?? [];
    const [think = ''] = /think_[0-9a-f]{8}/.exec(text) ?? [];
    const [, chunk = ''] = /"citation".*?"payload":\{"id":"([0-9a-f-]{36})"/.exec(text) ?? [];
    const delta = (name: string, id: string, value: string) =>
      `event: ${name}\ndata: {"id":"${id}","object":"agent.${name}.delta","delta":{"content":[{"type":"text","payload":{"value":"${value}","annotations":[]}}]}}\n\n`;
    const url = `http://service/d/${documentId}?q=0-34`;
    const payload = {
      id: chunk,
      document_id: documentId,
      owner_id: '2acb499e-8428-543b-bd85-0d9098718220',
      collection_ids: ['122fdf6a-e116-546b-a8f6-e4cb2e2c0a09'],
      text: lisbon,
      start: 0,
      end: 34,
      page: null,
      heading_path: [],
      version: 'v0',
      published_at: 'then',
      score: 0,
      metadata: {
        title: 'Capitals',
        document_type: 'txt',
        version: 'v0',
        chunk_order: 0,
        semantic_rank: 1,
        full_text_rank: 1,
        associated_query: QUESTION,
      },
      chunk_start: 0,
      chunk_end: 56,
      url,
      quotes: [{ start: 0, end: 34, text: 'The capital of Portugal is Lisbon.', page: null, heading_path: [], url }],
    };
    const usage = (input: number, output: number, steps: number) =>
      `{"input_tokens":${input},"cached_input_tokens":0,"output_tokens":${output},"reasoning_tokens":0,"total_tokens":${input + output},"steps":${steps},"seconds":0,"cost_usd":null}`;
    const settled = text
      .replaceAll(/"seconds":[\d.]+/g, '"seconds":0')
      .replaceAll(/"score":0\.\d+/g, '"score":0')
      .replaceAll(http.url, 'http://service')
      .replaceAll(/"published_at":"[^"]+"/g, '"published_at":"then"')
      .replace(/"content":"(?:[^"\\]|\\.)*"/, '"content":"…"');
    expect(settled).toBe(
      `id: ${run}:1\nevent: tool_call\ndata: {"tool_call_id":"call_1","name":"search_file_knowledge","arguments":{"query":"capital of Portugal"}}\n\n` +
        `id: ${run}:2\nevent: tool_result\ndata: {"tool_call_id":"call_1","role":"tool","name":"search_file_knowledge","content":"…","is_error":false,"usage":${usage(11, 7, 1)}}\n\n` +
        `id: ${run}:3\n${delta('thinking', think, 'Easy.')}` +
        `id: ${run}:4\n${delta('message', message, 'It')}` +
        `id: ${run}:5\n${delta('message', message, ' is')}` +
        `id: ${run}:6\n${delta('message', message, ' Lisbon')}` +
        `id: ${run}:7\n${delta('message', message, ' [1]')}` +
        `id: ${run}:8\nevent: citation\ndata: {"id":"cit.1","object":"citation","is_new":true,"span":{"start":13,"end":16},"payload":${JSON.stringify(payload)},"verdict":"close","verdict_score":1}\n\n` +
        `id: ${run}:9\n${delta('message', message, '.')}` +
        `id: ${run}:10\nevent: final_answer\ndata: {"id":"msg_final","object":"agent.final_answer","generated_answer":"It is Lisbon [1].","citations":[{"id":"cit.1","object":"citation","spans":[{"start":13,"end":16}],"source_type":"chunk","payload":${JSON.stringify(payload)},"verdict":"close","verdict_score":1,"checks":[{"span":{"start":13,"end":16},"statement":"It is Lisbon","verdict":"close","score":1}]}],"conversation_id":"${conversation}","model":"fake/gpt-4.1-2025-04-14","mode":"rag","stop_reason":"end","unsupported_sentences":[],"removed_markers":0,"usage":${usage(22, 14, 2)}}\n\n` +
        'event: done\ndata: [DONE]\n\n',
    );
    expect(eventsOf(text)[1]?.data.content).toContain(lisbon);
  });

  it('answers whole with R2R’s messages, the specification’s members, and both without the envelope (D1, D4)', async () => {
    provider.next(searching, answering, naming);
    const response = await ask({});
    const body = await bodyOf(response);
    const conversation = response.headers.get('x-conversation-id');
    const { citations } = body;
    expect(citations).toMatchObject([
      {
        id: 'cit.1',
        object: 'citation',
        is_new: true,
        span: null,
        spans: [{ start: 13, end: 16 }],
        source_type: 'chunk',
      },
    ]);
    expect(body).toEqual({
      results: {
        messages: [
          {
            role: 'assistant',
            content: 'It is Lisbon [1].',
            name: null,
            function_call: null,
            tool_calls: null,
            tool_call_id: null,
            metadata: {
              citations,
              tool_calls: [{ name: 'search_file_knowledge', args: '{"query":"capital of Portugal"}' }],
              aggregated_search_result: expect.any(String),
            },
            structured_content: null,
            image_url: null,
            image_data: null,
          },
        ],
        conversation_id: conversation,
        generated_answer: 'It is Lisbon [1].',
        citations,
        model: 'fake/gpt-4.1-2025-04-14',
        mode: 'rag',
        stop_reason: 'end',
        unsupported_sentences: [],
        removed_markers: 0,
        usage: expect.objectContaining({ input_tokens: 22, output_tokens: 14, steps: 2 }),
      },
      generated_answer: 'It is Lisbon [1].',
      citations,
      conversation_id: conversation,
    });
    const found = JSON.parse(body.results.messages[0].metadata.aggregated_search_result);
    expect(found).toMatchObject([{ source_type: 'chunk', result: { document_id: documentId, text: lisbon } }]);
  });

  it('stores the conversation: the next turn knows the previous one, and each message its parent', async () => {
    provider.next(searching, answering, naming);
    const { conversation_id: id } = await bodyOf(await ask({}));
    provider.next(chatReply({ text: 'On the Tagus.' }));
    const second = await bodyOf(await ask({ query: 'And the river?', conversation_id: id }));
    expect(second.conversation_id).toBe(id);
    const roles = provider.requests.at(-1)?.body.messages.map(({ role }: { role: string }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
    const messages = await messagesOf(id);
    expect(messages.map((each: { message: { content: string } }) => each.message.content)).toEqual([
      QUESTION,
      'It is Lisbon [1].',
      'And the river?',
      'On the Tagus.',
    ]);
    const { results } = await bodyOf(await fetch(`${http.url}/v3/conversations?ids=${id}`));
    expect(results[0].name).toBe('Capital of Portugal');
  });

  it('accepts a question in each of its three forms (D3)', async () => {
    const message = { role: 'user', content: 'Hello' };
    for (const form of [{ query: 'Hello' }, { message }, { messages: [{ role: 'system', content: 'x' }, message] }]) {
      provider.next(chatReply({ text: 'Good day.' }));
      const response = await http.post('/v3/retrieval/agent', { ...form, needsInitialConversationName: false });
      expect(await bodyOf(response)).toMatchObject({ generated_answer: 'Good day.', citations: [] });
      expect(provider.requests.at(-1)?.body.messages.at(-1)).toMatchObject({ role: 'user', content: 'Hello' });
    }
  });

  it('answers the last of several messages using all of them, and stores each once', async () => {
    const messages = [
      { role: 'user', content: 'My name is Ines.' },
      { role: 'assistant', content: 'Good day, Ines.' },
      { role: 'user', content: 'What is my name?' },
    ];
    const read = () =>
      provider.requests
        .at(-1)
        ?.body.messages.slice(1)
        .map(({ content }: { content: string }) => content);
    provider.next(chatReply({ text: 'Ines.' }));
    const first = await http.post('/v3/retrieval/agent', { messages, needs_initial_conversation_name: false });
    expect(read()).toEqual(messages.map(({ content }) => content));
    const { conversation_id } = await bodyOf(first);
    provider.next(chatReply({ text: 'Still Ines.' }));
    const again = [...messages, { role: 'assistant', content: 'Ines.' }, { role: 'user', content: 'And now?' }];
    await http.post('/v3/retrieval/agent', {
      messages: again,
      conversation_id,
      needs_initial_conversation_name: false,
    });
    const expected = again.map(({ content }) => content);
    expect(read()).toEqual(expected);
    const kept = await messagesOf(conversation_id);
    expect(kept.map(({ message }: { message: { content: string } }) => message.content)).toEqual([
      ...expected,
      'Still Ines.',
    ]);
  });

  it('accepts the smallest tool context, and passes further settings on to the provider', async () => {
    provider.next(searching, answering);
    const response = await ask({
      max_tool_context_length: 10,
      rag_generation_config: { add_generation_kwargs: { seed: 7, stop: ['END'] } },
      needs_initial_conversation_name: false,
    });
    expect(response.status).toBe(200);
    const { body } = provider.requests.at(-1) ?? { body: {} };
    expect(body).toMatchObject({ seed: 7, stop: ['END'] });
    expect(body.messages.at(-1).content.length).toBeLessThan(400);
  });

  it.each([
    ['no question', {}, 400, /exactly one of message, query and messages/],
    ['two questions', { query: 'a', message: { role: 'user', content: 'b' } }, 400, /several were/],
    ['an empty question', { query: ' ' }, 400, /empty/],
    ['words of an assistant', { message: { role: 'assistant', content: 'a' } }, 400, /role user/],
    ['an unknown mode', { query: 'a', mode: 'turbo' }, 422, /mode/],
    ['an unknown tool', { query: 'a', rag_tools: ['search_file_knowledge', 'teleport'] }, 422, /teleport/],
    ['an unknown research tool', { query: 'a', mode: 'research', research_tools: ['teleport'] }, 422, /teleport/],
    ['a tool of the other mode', { query: 'a', rag_tools: ['critique'] }, 422, /critique/],
    ['a RAG tool for research', { query: 'a', mode: 'research', research_tools: ['content'] }, 422, /content/],
    [
      'a reserved member handed on to the provider',
      { query: 'a', rag_generation_config: { add_generation_kwargs: { messages: [] } } },
      422,
      /messages/,
    ],
    ['an unknown tool in the old list', { query: 'a', tools: ['teleport'] }, 422, /teleport/],
    ['an unknown conversation', { query: 'a', conversation_id: MISSING }, 404, /no conversation/],
    ['no conversation id at all', { query: 'a', conversation_id: 'x' }, 422, /conversation_id/],
    ['an unknown model', { query: 'a', rag_generation_config: { model: 'nobody/x' } }, 400, /nobody/],
    ['a budget of money without a price', { query: 'a', budget: { dollars: 1 } }, 400, /price/],
  ])('refuses %s before its first byte, streamed or not', async (_, body: object, status, message) => {
    for (const more of [
      {},
      {
        rag_generation_config: {
          ...('rag_generation_config' in body ? (body.rag_generation_config as object) : {}),
          stream: true,
        },
      },
    ]) {
      const response = await http.post('/v3/retrieval/agent', { ...body, ...more });
      const refused = await bodyOf(response);
      expect([response.status, refused.message]).toEqual([status, expect.stringMatching(message)]);
      if (status === 422) expect(refused.detail).toMatchObject([{ type: expect.any(String), loc: expect.any(Array) }]);
    }
  });

  it('offers the tools of the mode, of the request’s list, or of the old list', async () => {
    const offered = async (body: object) => {
      provider.next(chatReply({ text: 'Yes.' }));
      await ask({ ...body, needs_initial_conversation_name: false });
      return provider.requests.at(-1)?.body.tools.map((tool: { function: { name: string } }) => tool.function.name);
    };
    expect(await offered({ research_tools: ['nonsense'] })).toEqual(
      expect.arrayContaining(['search_file_knowledge', 'search_file_descriptions', 'get_file_content']),
    );
    expect(await offered({ rag_tools: ['content'] })).toEqual(['content']);
    expect(await offered({ tools: ['search_file_knowledge'] })).toEqual(['search_file_knowledge']);
    expect(await offered({ tools: ['search_file_knowledge'], rag_tools: ['content'] })).toEqual(['content']);
  });

  it('is configured by the research configuration in research mode, when there is one', async () => {
    provider.otherwise(() => chatReply({ text: 'Done.' }));
    const modelsOf = async (body: object) => {
      const before = provider.requests.length;
      const response = await ask({ ...body, mode: 'research', needs_initial_conversation_name: false });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      await response.text();
      return { isStream, models: provider.requests.slice(before).map((request) => request.body.model) };
    };
    expect(await modelsOf({ research_generation_config: { model: 'fake/own', stream: true } })).toMatchObject({
      isStream: true,
      models: expect.arrayContaining(['own']),
    });
    expect(await modelsOf({ rag_generation_config: { stream: true } })).toMatchObject({
      isStream: true,
      models: expect.not.arrayContaining(['own']),
    });
    provider.otherwise(() => openAiError(500, 'no reply is scripted'));
  });

  it('refuses the conversation of another user', async () => {
    provider.next(chatReply({ text: 'Yes.' }));
    const { conversation_id: id } = await bodyOf(await ask({ needs_initial_conversation_name: false }));
    const foreign = await ask({ conversation_id: id }, { headers: { 'X-Api-Key': 'key' } });
    expect([foreign.status, (await bodyOf(foreign)).message]).toEqual([404, expect.stringMatching(/no conversation/)]);
  });

  it('whose model fails before its first word answers with an error', async () => {
    for (const body of [{}, stream]) {
      provider.next(openAiError(500, 'The model has a secret problem.'));
      const response = await ask(body);
      expect([response.status, (await bodyOf(response)).code]).toEqual([502, 'provider_failed']);
    }
  });

  it('whose model fails later ends its stream with an error, and stores the partial answer', async () => {
    const cut = chatReply({ text: 'It is Lisbon as far as I' });
    provider.next(searching, { ...cut, steps: [...cut.steps.slice(0, 4), { cut: true }] });
    const response = await ask(stream);
    const events = eventsOf(await response.text());
    expect(events.map(({ name }) => name)).toEqual([
      'tool_call',
      'tool_result',
      'message',
      'message',
      'message',
      'error',
      'done',
    ]);
    expect(events.at(-2)).toMatchObject({
      id: `${response.headers.get('x-run-id')}:6`,
      data: { object: 'agent.error', error: { type: 'agent_error', code: 'provider_failed' } },
    });
    const messages = await messagesOf(response.headers.get('x-conversation-id') ?? '');
    expect(messages).toMatchObject([
      { message: { role: 'user', content: QUESTION } },
      { message: { role: 'assistant', content: 'It is Lisbon' }, metadata: { interrupted: true } },
    ]);
  });
});

describe('an agent without a language model', () => {
  let http: RunningHttp;
  beforeAll(async () => {
    http = await startCitewell();
    await addLisbon(http);
  });
  afterAll(() => http.close());

  it('searches, reads and quotes by a fixed plan with the same events, and says so', async () => {
    const response = await http.post('/v3/retrieval/agent', {
      query: QUESTION,
      rag_generation_config: { stream: true },
    });
    const events = eventsOf(await response.text());
    expect(events.map(({ name }) => name).filter((name) => name !== 'message')).toEqual([
      'tool_call',
      'tool_result',
      'tool_call',
      'tool_result',
      'citation',
      'final_answer',
      'done',
    ]);
    expect(events.at(-2)?.data).toMatchObject({
      generated_answer: expect.stringContaining('“The capital of Portugal is Lisbon.” [1]'),
      citations: [{ id: 'cit.1', verdict: 'verbatim' }],
      conversation_id: response.headers.get('x-conversation-id'),
      model: 'builtin/extractive',
      mode: 'extractive',
      support: 'answer',
      usage: { total_tokens: 0 },
    });
  });
});
