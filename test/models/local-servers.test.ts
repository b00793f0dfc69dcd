import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { triedModelChoices, withLocalModel } from '../../src/adapters/with-local-model.ts';
import { checkModels } from '../../src/cli/check-models.ts';
import { loadConfig } from '../../src/config.ts';
import { bestModel, findLocalModels, type LocalServer, usualServers } from '../../src/models/local-servers.ts';
import { localProviders, modelChoices } from '../../src/models/model-choices.ts';
import { createModelRegistry } from '../../src/models/registry.ts';
import { fakeLocalServer } from '../support/fake-local-servers.ts';
import { PROMPTLY_MS } from '../support/patience.ts';

async function start(
  name: LocalServer['name'],
  kind?: LocalServer['name'] | 'other',
  toolReplies?: Parameters<typeof fakeLocalServer>[2],
) {
  const server = await fakeLocalServer(name, kind, toolReplies);
  onTestFinished(server.close);
  return server;
}

const configFor = (servers: readonly LocalServer[], more: Readonly<Record<string, string>> = {}) =>
  loadConfig({
    env: { CITEWELL_LOCAL_MODELS: servers.map(({ name, address }) => `${name}=${address}`).join(','), ...more },
    cwd: '/nowhere',
  });

/** With a cache of its own, so that no trial of another test is known. */
function autoFor(servers: readonly LocalServer[], more: Readonly<Record<string, string>> = {}) {
  const cache = mkdtempSync(join(tmpdir(), 'citewell-trials-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  return configFor(servers, { CITEWELL_MODEL: 'auto', XDG_CACHE_HOME: cache, ...more });
}

const NONE = { language: [], embedding: [] };

describe('models on this machine', () => {
  it('are found with the context and tool support that their server reports', async () => {
    const servers = [await start('ollama'), await start('lmstudio'), await start('llamacpp'), await start('vllm')];
    const { language: found, embedding } = await findLocalModels(servers);
    expect(found.map(({ server: _, ...model }) => model)).toEqual([
      { name: 'ollama/gemma3:4b', contextTokens: 8_192, hasTools: false, parameters: 4.3e9 },
      { name: 'ollama/qwen3:8b', contextTokens: 40_960, hasTools: true, parameters: 8.2e9 },
      { name: 'lmstudio/qwen2.5-7b-instruct', contextTokens: 4_096, hasTools: true },
      { name: 'llamacpp//models/mistral-7b.gguf', contextTokens: 16_384, hasTools: false, parameters: 7_248_023_552 },
      { name: 'vllm/Qwen/Qwen3-32B', contextTokens: 40_960 },
    ]);
    expect(bestModel(found)?.name).toBe('ollama/qwen3:8b');
    expect(embedding.map(({ name, contextTokens }) => [name, contextTokens])).toEqual([
      ['ollama/nomic-embed-text:latest', 2_048],
      ['ollama/old-bert:latest', 512],
      ['lmstudio/text-embedding-nomic-embed-text-v1.5', 2_048],
      ['vllm/BAAI/bge-m3', 8_192],
    ]);
  });

  it('are not found at other servers, silent ones, and addresses elsewhere', async () => {
    const other = await start('llamacpp', 'other');
    const wrong = await start('llamacpp', 'vllm');
    const silent = { name: 'ollama', address: 'http://127.0.0.1:9' } as const;
    const remote = { name: 'vllm', address: 'http://192.0.2.1:8000' } as const;
    const startedAt = performance.now();
    expect(await findLocalModels([other, wrong, silent, remote])).toEqual(NONE);
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    expect(() => configFor([remote])).toThrow(/CITEWELL_LOCAL_MODELS: expected on, off/);
    // What is configured elsewhere is not looked for here under the same name.
    const config = loadConfig({ env: { OLLAMA_BASE_URL: 'http://ollama.example.org' }, cwd: '/nowhere' });
    expect(config.localServers).toEqual(usualServers.slice(1));
  });

  it('are left out with names unfit for a terminal or a shell, and with endless answers', async () => {
    const names = ['\u001b[31mred', '<b>bold</b>', '$(id)', 'two words', 'line\nbreak', 'fine:1b'];
    const data = names.map((id) => ({ id, owned_by: 'vllm' }));
    let body = JSON.stringify({ data });
    const server = createServer((_request, response) => response.end(body));
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const vllm = { name: 'vllm', address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } as const;
    expect((await findLocalModels([vllm])).language.map(({ name }) => name)).toEqual(['vllm/fine:1b']);
    body = JSON.stringify({ data, more: 'x'.repeat(9_000_000) });
    expect(await findLocalModels([vllm])).toEqual(NONE);
    body = '<html>';
    expect(await findLocalModels([vllm])).toEqual(NONE);
  });

  it('answer requests that name them, without further settings', async () => {
    const ollama = await start('ollama');
    const config = configFor([ollama]);
    const models = createModelRegistry({ ...config, local: localProviders(config) });
    let text = '';
    const events = models.resolve('ollama/qwen3:8b', 'quality').stream({
      messages: [{ role: 'user', text: 'Who?' }],
      tools: [],
      config: {},
      signal: AbortSignal.timeout(PROMPTLY_MS),
    });
    for await (const event of events) {
      if (event.type === 'text') text += event.text;
    }
    expect(text).toBe('The mate.');
    // They are no defaults, and no name without a provider means them.
    expect(models.defaultName('quality')).toBe('builtin/extractive');
    expect(() => models.resolve('gpt-4.1', 'quality')).toThrow(/OPENAI_API_KEY/);
  });

  it('need a setting where others may call the service', async () => {
    const required = { CITEWELL_AUTH: 'required', CITEWELL_API_KEYS: 'k'.repeat(32) };
    const config = loadConfig({ env: required, cwd: '/nowhere' });
    expect(localProviders(config)).toEqual([]);
    const ollama = await start('ollama');
    const { found } = await modelChoices({ ...config, localServers: [ollama] });
    expect(found[1]).toMatchObject({
      isUsable: false,
      settings: [`OLLAMA_BASE_URL=${ollama.address}`, 'CITEWELL_MODEL=ollama/qwen3:8b'],
    });
    expect((await modelChoices(configFor([ollama], required))).found[1]).toMatchObject({
      isUsable: true,
      settings: ['CITEWELL_MODEL=ollama/qwen3:8b'],
    });
  });
});

describe('CITEWELL_MODEL=auto', () => {
  it('uses the best model found, with its context size, and reports it', async () => {
    const { config, note } = await withLocalModel(autoFor([await start('ollama'), await start('llamacpp')]));
    // The context is the one it was loaded with for the trial, less than the 40,960 it could have.
    expect(config).toMatchObject({ models: { quality: 'ollama/qwen3:8b' }, contextTokens: 32_768, textTools: [] });
    expect(note).toMatch(
      /^CITEWELL_MODEL=auto chose ollama\/qwen3:8b \(Ollama at .*32,768 tokens of context, calls tools\), of 3 models found\.$/,
    );
  });

  it('opens no other address of this machine where others may call the service', async () => {
    const ollama = await start('ollama');
    const required = { CITEWELL_AUTH: 'required', CITEWELL_API_KEYS: 'k'.repeat(32) };
    const open = autoFor([], required);
    const vllm = { name: 'vllm', address: 'http://127.0.0.1:9' } as const;
    const { config } = await withLocalModel({ ...open, localServers: [vllm, ollama] });
    expect(localProviders(config)).toEqual([{ name: 'ollama', baseUrl: `${ollama.address}/v1` }]);
  });

  it('never takes an embedding model', async () => {
    const server = createServer((_request, response) =>
      response.end(JSON.stringify({ data: ['nomic-embed-text', 'intfloat/e5-mistral-7b'].map((id) => ({ id })) })),
    );
    onTestFinished(() => void server.close());
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    // Without LM Studio's own API, which reports types.
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { config, note } = await withLocalModel(autoFor([{ name: 'lmstudio', address }]));
    expect(config.models).toEqual({});
    expect(note).toMatch(/found no language model on this machine/);
  });

  it('gives tools as text to a model that calls none', async () => {
    const server = await start('llamacpp');
    const { config } = await withLocalModel(autoFor([server]));
    expect(config.textTools).toEqual(['llamacpp//models/mistral-7b.gguf']);
    expect(server.requests).not.toContain('/v1/chat/completions');
  });

  it.each(['text', 'refusal'] as const)(
    'gives tools as text to a model that wrongly claims to call them (%s)',
    async (reply) => {
      const { config, note } = await withLocalModel(autoFor([await start('lmstudio', 'lmstudio', reply)]));
      const name = 'lmstudio/qwen2.5-7b-instruct';
      expect(config).toMatchObject({ models: { quality: name }, textTools: [name] });
      expect(note).toMatch(/calls no tools\)\. .* called no tool when it was asked to\. It is given tools as text\.$/);
    },
  );

  it('takes the next model when the best one fails or calls no tool', async () => {
    for (const reply of ['error', 'text'] as const) {
      const servers = [await start('ollama', 'ollama', reply), await start('lmstudio')];
      const { config, note } = await withLocalModel(autoFor(servers));
      expect(config).toMatchObject({ models: { quality: 'lmstudio/qwen2.5-7b-instruct' }, textTools: [] });
      expect(note).toMatch(/ollama\/qwen3:8b (?:failed: |called no tool)/);
    }
  });

  it('waits for a silent model only until the time limit, and does not rely on its claim', async () => {
    const server = await start('lmstudio', 'lmstudio', 'silence');
    const { config, note } = await withLocalModel(autoFor([server]), { trialsMs: 200 });
    expect(config.textTools).toEqual(['lmstudio/qwen2.5-7b-instruct']);
    expect(note).toContain('A trial request to lmstudio/qwen2.5-7b-instruct failed: no answer in time.');
    expect(note).not.toContain('calls tools');
  });

  it('tries a model once a day, and again for doctor; lists show what the trial showed', async () => {
    const server = await start('lmstudio');
    const config = autoFor([server]);
    const trials = () => server.requests.filter((path) => path === '/v1/chat/completions').length;
    expect((await triedModelChoices(config)).found[0]).toMatchObject({ hasTools: true });
    expect((await triedModelChoices(config)).found[0]).not.toHaveProperty('isTried');
    await withLocalModel(config);
    await withLocalModel(config);
    expect(trials()).toBe(1);
    expect((await triedModelChoices(config)).found[0]).toMatchObject({ hasTools: true, isTried: true });
    await checkModels(config);
    expect(trials()).toBe(2);
    // Another process finds it in the file, and one that cannot be read is tried again.
    const path = join(config.cacheDir ?? '', 'local-model-trials.json');
    vi.resetModules();
    const later = await import('../../src/adapters/with-local-model.ts');
    await later.withLocalModel(config);
    expect(trials()).toBe(2);
    writeFileSync(path, '{"broken');
    vi.resetModules();
    const last = await import('../../src/adapters/with-local-model.ts');
    await last.withLocalModel(config);
    expect(trials()).toBe(3);
  });

  it('says that it found none', async () => {
    const silent = { name: 'ollama', address: 'http://127.0.0.1:9' } as const;
    const { config, note } = await withLocalModel(autoFor([silent]));
    expect(config.models).toEqual({});
    expect(note).toMatch(/found no language model on this machine \(looked for Ollama at http:\/\/127\.0\.0\.1:9\)/);
  });

  it('leaves other settings alone', async () => {
    const { config, note } = await withLocalModel(configFor([await start('ollama')], { CITEWELL_MODEL: 'openai/gpt' }));
    expect([config.models.quality, note]).toEqual(['openai/gpt', undefined]);
  });
});

describe('doctor', () => {
  it('names the models found and the line to set', async () => {
    const ollama = await start('ollama');
    const findings = await checkModels(configFor([ollama]));
    expect(findings.find(({ name }) => name === 'Local models')).toEqual({
      name: 'Local models',
      state: 'ok',
      fix: 'Set CITEWELL_MODEL=ollama/qwen3:8b to use it for answers.',
      detail: expect.stringContaining(
        `ollama/qwen3:8b (Ollama at ${ollama.address}, 40,960 tokens of context, said to call tools)`,
      ),
    });
  });

  it('names the embedding models found and the line to set', async () => {
    const ollama = await start('ollama');
    const findings = await checkModels(configFor([ollama]));
    expect(findings.find(({ name }) => name === 'Local embeddings')).toEqual({
      name: 'Local embeddings',
      state: 'ok',
      detail: expect.stringContaining(
        `found ollama/nomic-embed-text:latest (Ollama at ${ollama.address}, 2,048 tokens of context); ollama/old-bert`,
      ),
      fix: expect.stringMatching(
        /^Set CITEWELL_EMBEDDING_MODEL=ollama\/nomic-embed-text:latest \(or another one\).*citewell reindex/,
      ),
    });
    const set = configFor([ollama], { CITEWELL_EMBEDDING_MODEL: 'ollama/nomic-embed-text:latest' });
    const [known] = (await checkModels(set)).filter(({ name }) => name === 'Local embeddings');
    expect(known).not.toHaveProperty('fix');
  });

  it('shows which model auto uses, or that none was found', async () => {
    expect(await checkModels(autoFor([await start('ollama')]))).toContainEqual({
      name: 'Local models',
      state: 'ok',
      detail: expect.stringContaining('auto chose ollama/qwen3:8b'),
    });
    const none = await checkModels(autoFor([], { CITEWELL_LOCAL_MODELS: 'off' }));
    expect(none).toContainEqual(expect.objectContaining({ name: 'Local models', state: 'warning' }));
  });
});
