import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalServer } from '../../src/models/local-servers.ts';
import { cutOnFailure } from './cut-on-failure.ts';

type Answers = Readonly<Record<string, (body: { readonly model?: string }) => unknown>>;

/** Responses of these servers, in the documented formats. */
const answers: Readonly<Record<LocalServer['name'], Answers>> = {
  ollama: {
    '/api/tags': () => ({
      models: [
        {
          name: 'gemma3:4b',
          model: 'gemma3:4b',
          size: 3_338_801_804,
          details: { family: 'gemma3', parameter_size: '4.3B' },
        },
        {
          name: 'qwen3:8b',
          model: 'qwen3:8b',
          size: 5_225_388_164,
          details: { family: 'qwen3', parameter_size: '8.2B' },
        },
        {
          name: 'nomic-embed-text:latest',
          size: 274_302_450,
          details: { family: 'nomic-bert', parameter_size: '137M' },
        },
        { name: 'old-bert:latest', size: 45_960_996, details: { family: 'bert', parameter_size: '23M' } },
      ],
    }),
    '/api/show': ({ model = '' }) =>
      ({
        'gemma3:4b': {
          capabilities: ['completion', 'vision'],
          model_info: { 'gemma3.context_length': 131_072 },
          parameters: 'num_ctx                        8192\nstop                           "<end_of_turn>"',
        },
        'qwen3:8b': {
          capabilities: ['completion', 'tools', 'thinking'],
          model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
        },
        // As versions before 0.6.4 answer.
        'old-bert:latest': { model_info: { 'bert.context_length': 512 } },
        'nomic-embed-text:latest': { capabilities: ['embedding'], model_info: { 'nomic-bert.context_length': 2_048 } },
      })[model],
  },
  lmstudio: {
    '/api/v0/models': () => ({
      object: 'list',
      data: [
        {
          id: 'qwen2.5-7b-instruct',
          object: 'model',
          type: 'llm',
          state: 'loaded',
          capabilities: ['tool_use'],
          max_context_length: 32_768,
          loaded_context_length: 4_096,
        },
        { id: 'text-embedding-nomic-embed-text-v1.5', object: 'model', type: 'embeddings', max_context_length: 2_048 },
      ],
    }),
  },
  llamacpp: {
    '/v1/models': () => ({
      object: 'list',
      data: [
        { id: '/models/mistral-7b.gguf', object: 'model', owned_by: 'llamacpp', meta: { n_params: 7_248_023_552 } },
      ],
    }),
    '/props': () => ({
      default_generation_settings: { n_ctx: 16_384 },
      chat_template_caps: { supports_tools: false },
    }),
  },
  vllm: {
    '/v1/models': () => ({
      object: 'list',
      data: [
        { id: 'Qwen/Qwen3-32B', object: 'model', owned_by: 'vllm', max_model_len: 40_960 },
        { id: 'BAAI/bge-m3', object: 'model', owned_by: 'vllm', max_model_len: 8_192 },
        { id: 'BAAI/bge-reranker-v2-m3', object: 'model', owned_by: 'vllm', max_model_len: 8_192 },
      ],
    }),
  },
};

/** How a model responds to a request with tools. */
export type ToolReply = 'calls' | 'text' | 'refusal' | 'error' | 'silence';

export interface FakeServer extends LocalServer {
  readonly requests: readonly string[];
  close(): void;
}

/** A fake local model server called `name`; it responds as `kind` does, which may differ to test the detection. */
export async function fakeLocalServer(
  name: LocalServer['name'],
  kind: LocalServer['name'] | 'other' = name,
  toolReplies: ToolReply | Readonly<Record<string, ToolReply>> = 'calls',
): Promise<FakeServer> {
  const requests: string[] = [];
  let loaded: string | undefined;
  const server = createServer(
    cutOnFailure(async (request, response) => {
      const path = request.url ?? '';
      requests.push(path);
      let body = '';
      for await (const part of request) body += part;
      if (path === '/v1/chat/completions') return streamAnswer();
      if (path === '/v1/embeddings') return embed();
      if (path === '/api/ps' && kind === 'ollama') {
        const models = loaded === undefined ? [] : [{ name: loaded, context_length: 32_768 }];
        return void response.writeHead(200).end(JSON.stringify({ models }));
      }
      const answer = kind === 'other' ? undefined : answers[kind][path]?.(JSON.parse(body || '{}'));
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'not found' }));

      function embed(): void {
        const { input } = JSON.parse(body) as { input: readonly string[] };
        const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [1, 2, 2] }));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
      }

      function streamAnswer(): void {
        const { model, tools = [] } = JSON.parse(body) as { model: string; tools?: readonly object[] };
        const reply = tools.length === 0 ? 'text' : typeof toolReplies === 'string' ? toolReplies : toolReplies[model];
        if (reply === 'silence') return;
        if (reply === 'refusal' || reply === 'error') {
          const message = reply === 'refusal' ? `${model} does not support tools` : 'model requires more system memory';
          response.writeHead(reply === 'refusal' ? 400 : 500, { 'content-type': 'application/json' });
          return void response.end(JSON.stringify({ error: { message } }));
        }
        loaded = model;
        const chunk = (delta: object, reason: string | null) =>
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const call = { name: 'look_up_word', arguments: '{"word":"ferry"}' };
        const delta =
          reply === 'calls'
            ? { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] }
            : { content: 'The mate.' };
        const reason = reply === 'calls' ? 'tool_calls' : 'stop';
        response.end(`${chunk({ role: 'assistant', ...delta }, null)}${chunk({}, reason)}data: [DONE]\n\n`);
      }
    }),
  );
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  const { port } = server.address() as AddressInfo;
  return { name, address: `http://127.0.0.1:${port}`, requests, close: () => server.close().closeAllConnections() };
}
