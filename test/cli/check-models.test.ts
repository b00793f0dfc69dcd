import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkModels } from '../../src/cli/check-models.ts';
import { loadConfig } from '../../src/config.ts';

const check = (env: Readonly<Record<string, string>>) =>
  checkModels(loadConfig({ env: { CITEWELL_LOCAL_MODELS: 'off', ...env }, cwd: '/nowhere' }));

async function serve(body: string): Promise<string> {
  const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** A port on which nothing listens any more. */
const DEAD = await (async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
})();

describe('what doctor says of models', () => {
  it('names the configured keys without a request', async () => {
    expect(await check({})).toMatchObject([{ state: 'warning', detail: expect.stringContaining('no key is set') }]);
    const set = { OPENAI_API_KEY: 'secret', ANTHROPIC_API_KEY: 'secret' };
    expect(await check(set)).toEqual([
      { name: 'Models', state: 'ok', detail: 'set: OPENAI_API_KEY, ANTHROPIC_API_KEY' },
    ]);
  });

  it.each([
    ['OLLAMA_BASE_URL', { OLLAMA_BASE_URL: DEAD }],
    ['OPENAI_BASE_URL', { OPENAI_BASE_URL: DEAD, OPENAI_API_KEY: 'k' }],
    ['CITEWELL_PROVIDERS (box)', { CITEWELL_PROVIDERS: `box=${DEAD}` }],
  ])('says that the server of %s does not answer', async (variable, env) => {
    const [finding, ...others] = await check(env);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ state: 'wrong', fix: `Start that server, or correct ${variable}.` });
    expect(finding?.detail).toContain(`${variable}: ${DEAD} does not answer (ECONNREFUSED)`);
  });

  it('says that a model is named whose provider has no key', async () => {
    const [finding, ...others] = await check({ CITEWELL_MODEL: 'openai/gpt-6-luna' });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      state: 'wrong',
      detail: expect.stringContaining('CITEWELL_MODEL is openai/gpt-6-luna'),
    });
    expect(finding?.fix).toContain('OPENAI_API_KEY');
    expect(await check({ CITEWELL_MODEL: 'builtin/extractive' })).toMatchObject([{ state: 'warning' }]);
  });

  it('says which model an Ollama lacks', async () => {
    const url = await serve(JSON.stringify({ models: [{ name: 'gemma3:4b' }, { name: 'bge-m3:latest' }] }));
    const there = {
      OLLAMA_BASE_URL: url,
      CITEWELL_MODEL: 'ollama/gemma3:4b',
      CITEWELL_EMBEDDING_MODEL: 'ollama/bge-m3',
    };
    expect(await check(there)).toMatchObject([{ state: 'ok', detail: expect.stringContaining('gemma3:4b') }]);
    expect(await check({ ...there, CITEWELL_MODEL: 'ollama/llama4' })).toMatchObject([
      { state: 'wrong', detail: expect.stringContaining('not llama4'), fix: 'Run: ollama pull llama4' },
    ]);
    const [other] = await check({ OLLAMA_BASE_URL: await serve('<html>') });
    expect(other).toMatchObject({ state: 'wrong', detail: expect.stringContaining('it is not an Ollama server') });
  });
});
