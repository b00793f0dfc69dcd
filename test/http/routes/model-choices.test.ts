import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelChoices } from '../../../src/models/model-choices.ts';
import { startCitewell } from '../support/start-citewell.ts';

const choices: ModelChoices = {
  providers: [{ name: 'openai', label: 'OpenAI', address: 'https://api.openai.com/v1', hasKey: true }],
  looksForModels: true,
  found: [
    {
      name: 'ollama/qwen3:8b',
      server: { name: 'ollama', address: 'http://127.0.0.1:11434' },
      contextTokens: 40_960,
      hasTools: true,
      isUsable: true,
      settings: ['CITEWELL_MODEL=ollama/qwen3:8b'],
    },
    {
      name: 'vllm/qwen',
      server: { name: 'vllm', address: 'http://127.0.0.1:8000' },
      isUsable: false,
      settings: ['CITEWELL_PROVIDERS=vllm=http://127.0.0.1:8000/v1', 'CITEWELL_MODEL=vllm/qwen'],
    },
  ],
  embedders: [
    {
      name: 'ollama/nomic-embed-text:latest',
      server: { name: 'ollama', address: 'http://127.0.0.1:11434' },
      contextTokens: 2_048,
      settings: ['CITEWELL_EMBEDDING_MODEL=ollama/nomic-embed-text:latest'],
    },
  ],
};

async function start() {
  let looks = 0;
  const server = await startCitewell({
    isRequired: true,
    hasTestAdmin: true,
    async modelChoices() {
      looks++;
      return choices;
    },
  });
  onTestFinished(server.close);
  const tokenOf = async (username: string, password: string) => {
    const response = await server.post('/v3/users/login', { username, password });
    const { results } = (await response.json()) as { results: { access_token: { token: string } } };
    return results.access_token.token;
  };
  const admin = await tokenOf('admin@example.com', 'change_me_immediately');
  await server.post('/v3/users', { email: 'ada@example.org', password: 'a long pass phrase' });
  const ada = await tokenOf('ada@example.org', 'a long pass phrase');
  const get = async (path: string, token: string) => {
    const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return { status: response.status, body: (await response.json()) as any };
  };
  return { get, admin, ada, looks: () => looks };
}

describe('models to choose from', () => {
  it('are listed for superusers, without keys, with the line to set', async () => {
    const { get, admin } = await start();
    expect(await get('/v3/system/models', admin)).toEqual({
      status: 200,
      body: {
        results: {
          in_use: { quality: 'builtin/extractive', fast: 'builtin/extractive', reasoning: 'builtin/extractive' },
          providers: [{ name: 'openai', label: 'OpenAI', address: 'https://api.openai.com/v1', has_key: true }],
          looks_for_models: true,
          found: [
            {
              name: 'ollama/qwen3:8b',
              server: 'ollama',
              address: 'http://127.0.0.1:11434',
              is_usable: true,
              context_tokens: 40_960,
              tools: true,
              tools_tried: false,
              settings: ['CITEWELL_MODEL=ollama/qwen3:8b'],
            },
            {
              name: 'vllm/qwen',
              server: 'vllm',
              address: 'http://127.0.0.1:8000',
              is_usable: false,
              context_tokens: null,
              tools: null,
              tools_tried: false,
              settings: ['CITEWELL_PROVIDERS=vllm=http://127.0.0.1:8000/v1', 'CITEWELL_MODEL=vllm/qwen'],
            },
          ],
          embedders: [
            {
              name: 'ollama/nomic-embed-text:latest',
              server: 'ollama',
              address: 'http://127.0.0.1:11434',
              context_tokens: 2_048,
              settings: ['CITEWELL_EMBEDDING_MODEL=ollama/nomic-embed-text:latest'],
            },
          ],
        },
      },
    });
  });

  it('are part of /v1/models for superusers, as far as requests can name them', async () => {
    const { get, admin } = await start();
    const { data } = (await get('/v1/models', admin)).body;
    expect(data.at(-1)).toEqual({
      id: 'ollama/qwen3:8b',
      object: 'model',
      created: 0,
      owned_by: 'ollama',
      setting: 'CITEWELL_MODEL=ollama/qwen3:8b',
    });
    expect(data).toHaveLength(6);
    for (const path of ['/v1/models/ollama/qwen3:8b', '/v1/models/ollama%2Fqwen3%3A8b']) {
      expect((await get(path, admin)).body).toEqual(data.at(-1));
    }
  });

  it('are not looked for when others ask', async () => {
    const { get, ada, looks } = await start();
    expect((await get('/v3/system/models', ada)).status).toBe(403);
    expect((await get('/v1/models', ada)).body.data).toHaveLength(5);
    expect((await get('/v1/models/ollama/qwen3:8b', ada)).status).toBe(404);
    expect(looks()).toBe(0);
  });
});
