import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { RagEvent, RagRequest } from '../../../src/rag/rag-event.ts';
import { answer, outcome, parisCitation } from '../support/retrieval-fixtures.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

let http: RunningHttp | undefined;
afterEach(() => http?.close());

const events: readonly RagEvent[] = [
  { type: 'search_results', outcome },
  { type: 'thinking', text: 'Hm.' },
  { type: 'message', text: 'Paris is the capital of France [1]' },
  { type: 'citation', citation: parisCitation, isNew: true, span: { start: 31, end: 34 } },
  { type: 'citation', citation: parisCitation, isNew: false, span: { start: 40, end: 43 } },
  { type: 'message', text: '.' },
  { type: 'final_answer', answer },
];

async function answering(script: (request: RagRequest, signal: AbortSignal) => AsyncGenerator<RagEvent, void>) {
  http = await startHttp({ answerer: { answer: script } });
  return http;
}

const playing = (played: readonly RagEvent[]) =>
  answering(async function* () {
    yield* played;
  });

const streamed = { query: 'q', rag_generation_config: { stream: true } };

const chunkHit = {
  id: '5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0001',
  document_id: '5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0002',
  owner_id: '2acb499e-8428-543b-bd85-0d9098718220',
  collection_ids: ['122fdf6a-e116-546b-a8f6-e4cb2e2c0a09'],
  text: 'Paris is the capital of France. It lies on the Seine.',
  start: 100,
  end: 153,
  page: 3,
  heading_path: ['Europe', 'France'],
  version: null,
  published_at: null,
  score: 0.75,
  metadata: {
    title: 'Capitals',
    document_type: 'md',
    version: 'v0',
    chunk_order: 0,
    semantic_rank: 2,
    full_text_rank: 1,
    associated_query: 'q',
  },
};

/** With the address of the service, which differs from run to run, replaced. */
const url = 'http://service/d/5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0002?q=100-131';

const settled = (text: string): string => text.replaceAll(http?.url ?? '', 'http://service');

const payload = {
  ...chunkHit,
  start: 100,
  end: 131,
  chunk_start: 100,
  chunk_end: 153,
  url,
  quotes: [
    { start: 100, end: 131, text: 'Paris is the capital of France.', page: 3, heading_path: ['Europe', 'France'], url },
  ],
};

describe('a whole answer', () => {
  it('is in the envelope and, as the specification shows it, beside it (D1)', async () => {
    const { post } = await playing(events);
    const response = await post('/v3/retrieval/rag', { query: 'q' });
    const body = JSON.parse(settled(await response.text())) as {
      results: { search_results: object; citations: object[] };
    };
    const citation = {
      id: 'cit.1',
      object: 'citation',
      is_new: true,
      span: null,
      spans: [{ start: 31, end: 34 }],
      source_type: 'chunk',
      payload,
    };
    expect(body).toEqual({
      results: {
        generated_answer: 'Paris is the capital of France [1].',
        search_results: {
          chunk_search_results: [chunkHit],
          graph_search_results: [],
          web_page_search_results: null,
          web_search_results: null,
          document_search_results: null,
          generic_tool_result: null,
        },
        citations: [citation],
        metadata: {
          id: expect.stringMatching(/^chatcmpl-/),
          choices: [
            {
              finish_reason: 'stop',
              index: 0,
              message: {
                role: 'assistant',
                content: null,
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
            prompt_tokens: 10,
            completion_tokens: 5,
            total_tokens: 15,
            prompt_tokens_details: { cached_tokens: 4 },
            completion_tokens_details: { reasoning_tokens: 0 },
          },
          mode: 'generative',
          removed_markers: 0,
        },
        completion: 'Paris is the capital of France [1].',
      },
      generated_answer: 'Paris is the capital of France [1].',
      search_results: body.results.search_results,
      citations: body.results.citations,
    });
  });

  it('accepts its fields in both spellings (D10)', async () => {
    const asked: RagRequest[] = [];
    const { post } = await answering(async function* (request) {
      asked.push(request);
      yield* events;
    });
    await post('/v3/retrieval/rag', {
      query: 'q',
      task_prompt: 'Answer {query} from {context}',
      include_title_if_available: true,
      include_web_search: true,
      search_settings: { limit: 3 },
      rag_generation_config: {
        model: 'openai/x',
        temperature: 0.2,
        top_p: null,
        max_tokens: 7,
        max_tokens_to_sample: 9,
        extendedThinking: true,
        thinkingBudget: 5,
        functions: null,
        api_base: null,
      },
    });
    expect(asked[0]).toMatchObject({
      query: 'q',
      taskPrompt: 'Answer {query} from {context}',
      includeTitle: true,
      search: { limit: 3 },
      generation: { model: 'openai/x', temperature: 0.2, maxTokens: 9, extendedThinking: true, thinkingBudget: 5 },
    });
  });

  it('is an error when generation fails', async () => {
    const { post } = await answering(async function* () {
      yield { type: 'search_results', outcome };
      throw new ServiceError('provider_failed', 'The model is down.');
    });
    const response = await post('/v3/retrieval/rag', { query: 'q' });
    expect([response.status, await response.json()]).toEqual([
      502,
      expect.objectContaining({ message: 'The model is down.' }),
    ]);
  });
});

describe('a streamed answer', () => {
  it('has exactly these bytes', async () => {
    const { post } = await playing(events);
    const response = await post('/v3/retrieval/rag', streamed);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const text = await response.text();
    const run = response.headers.get('x-run-id');
    const [message = ''] = /msg_[0-9a-f]{8}/.exec(text) ?? [];
    const [think = ''] = /think_[0-9a-f]{8}/.exec(text) ?? [];
    const results = {
      chunk_search_results: [chunkHit],
      graph_search_results: [],
      web_page_search_results: [],
      web_search_results: [],
      document_search_results: [],
      generic_tool_result: [],
    };
    expect(inKeyOrder(settled(text))).toBe(
      inKeyOrder(
        `id: ${run}:1\nevent: search_results\ndata: {"id":"search_1","object":"rag.search_results","data":${JSON.stringify(results)}}\n\n` +
          `id: ${run}:2\nevent: thinking\ndata: {"id":"${think}","object":"agent.thinking.delta","delta":{"content":[{"type":"text","payload":{"value":"Hm.","annotations":[]}}]}}\n\n` +
          `id: ${run}:3\nevent: message\ndata: {"id":"${message}","object":"agent.message.delta","delta":{"content":[{"type":"text","payload":{"value":"Paris is the capital of France [1]","annotations":[]}}]}}\n\n` +
          `id: ${run}:4\nevent: citation\ndata: {"id":"cit.1","object":"citation","is_new":true,"span":{"start":31,"end":34},"payload":${JSON.stringify(payload)}}\n\n` +
          `id: ${run}:5\nevent: citation\ndata: {"id":"cit.1","object":"citation","is_new":false,"span":{"start":40,"end":43},"payload":null}\n\n` +
          `id: ${run}:6\nevent: message\ndata: {"id":"${message}","object":"agent.message.delta","delta":{"content":[{"type":"text","payload":{"value":".","annotations":[]}}]}}\n\n` +
          `id: ${run}:7\nevent: final_answer\ndata: {"id":"msg_final","object":"rag.final_answer","generated_answer":"Paris is the capital of France [1].","citations":[{"id":"cit.1","object":"citation","spans":[{"start":31,"end":34}],"source_type":"chunk","payload":${JSON.stringify(payload)}}],"model":"openai/gpt-test","mode":"generative","removed_markers":0,"stop_reason":"end"}\n\n` +
          'event: done\ndata: [DONE]\n\n',
      ),
    );
  });

  it.each([true, false])('says that the model stopped for length (stream: %s)', async (stream) => {
    const { post } = await answering(async function* () {
      yield { type: 'search_results', outcome };
      yield { type: 'message', text: 'Paris is' };
      yield { type: 'final_answer', answer: { ...answer, text: 'Paris is', citations: [], stopReason: 'length' } };
    });
    const response = await post('/v3/retrieval/rag', { query: 'q', rag_generation_config: { stream } });
    const text = await response.text();
    if (stream) {
      const [, data = ''] = /^event: final_answer\ndata: (.*)$/m.exec(text) ?? [];
      expect(JSON.parse(data)).toMatchObject({ generated_answer: 'Paris is', stop_reason: 'length' });
    } else expect(JSON.stringify(JSON.parse(text).results.metadata)).toContain('length');
  });

  it('that fails before its first event is an ordinary error', async () => {
    const { post } = await answering(async function* () {
      yield* await Promise.reject<RagEvent[]>(new ServiceError('embedding_mismatch', 'Run citewell reindex.'));
    });
    const response = await post('/v3/retrieval/rag', streamed);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ message: 'Run citewell reindex.' }),
    ]);
  });

  it('tells of a pause that the provider asked for only if it is resumable', async () => {
    const { post } = await playing([...events.slice(0, 1), { type: 'waiting', seconds: 20 }, ...events.slice(1)]);
    const waiting = 'event: waiting\ndata: {"seconds":20}\n';
    expect(await (await post('/v3/retrieval/rag', streamed)).text()).not.toContain('waiting');
    expect(await (await post('/v3/retrieval/rag', { ...streamed, resumable: true })).text()).toContain(waiting);
  });

  it('that fails later ends with an error event and the terminator', async () => {
    const { post } = await answering(async function* () {
      yield { type: 'search_results', outcome };
      yield { type: 'message', text: 'Par' };
      throw new ServiceError('provider_failed', 'The model is down.');
    });
    const text = await (await post('/v3/retrieval/rag', streamed)).text();
    expect(text).toMatch(
      /event: error\ndata: \{"id":"err_[0-9a-f]{8}","object":"agent.error","error":\{"message":"The model is down.","type":"agent_error","code":"provider_failed"\}\}\n\nevent: done\ndata: \[DONE\]\n\n$/,
    );
    expect(text).not.toContain('final_answer');
  });

  it('does not leak the message of an unexpected failure', async () => {
    const { post, logged } = await answering(async function* () {
      yield { type: 'search_results', outcome };
      throw new TypeError('secret');
    });
    const text = await (await post('/v3/retrieval/rag', streamed)).text();
    expect(text).toContain('event: error\n');
    expect(text).not.toContain('secret');
    expect(logged).toEqual([expect.objectContaining({ level: 'error' })]);
  });

  it('that ends without a final answer says so', async () => {
    const { post } = await playing(events.slice(0, 3));
    const text = await (await post('/v3/retrieval/rag', streamed)).text();
    expect(text).toMatch(/event: error\n.*\n\nevent: done\ndata: \[DONE\]\n\n$/);
  });

  it('cancels the model when its client disconnects', async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const { post } = await answering(async function* (_, signal) {
      yield { type: 'search_results', outcome };
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cancelled.resolve(signal.reason);
          reject(signal.reason);
        });
      });
    });
    const leaving = new AbortController();
    const response = await post('/v3/retrieval/rag', streamed, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    expect(await cancelled.promise).toMatchObject({ code: 'cancelled' });
  });

  it('cancels the model of an unstreamed answer too', async () => {
    const cancelled = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { post } = await answering(async function* (_, signal) {
      started.resolve();
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cancelled.resolve();
          reject(signal.reason);
        });
      });
      yield { type: 'search_results', outcome };
    });
    const leaving = new AbortController();
    const response = post('/v3/retrieval/rag', { query: 'q' }, { signal: leaving.signal });
    await started.promise;
    leaving.abort();
    await expect(response).rejects.toThrow();
    await cancelled.promise;
  });
});

/** The same stream with the keys of every JSON object sorted, because their order is not part of the contract. */
function inKeyOrder(stream: string): string {
  return stream.replace(/^data: (\{.*)$/gm, (_, json: string) => `data: ${JSON.stringify(sorted(JSON.parse(json)))}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
