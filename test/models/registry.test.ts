import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { DEFAULT_MODELS } from '../../src/models/default-models.ts';
import { createModelRegistry, type ModelSettings } from '../../src/models/registry.ts';
import { createStreamSlots } from '../../src/models/with-concurrency-limit.ts';
import { messageReply, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { chatReply, openAiError, startFakeOpenAi } from '../support/fake-openai.ts';
import { ask, collect, failureOf, modelRequest, playedModel, said, textOf } from './support.ts';

const openai = { apiKey: 'sk-openai' };
const anthropic = { apiKey: 'sk-anthropic' };
const extractive = playedModel('builtin/extractive', [{ events: said('[1]', 'builtin/extractive') }]);
const retry = { maxTries: 2, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 100 };

describe('the concurrency limit of a provider', () => {
  const limits = { maxOpen: 1, maxWaiting: 1, maxWaitMs: 60_000 };
  const { signal } = new AbortController();

  it('refuses a request when the queue is full, and names the setting', async () => {
    const slots = createStreamSlots('OpenAI', limits);
    const release = await slots.acquire(signal);
    const second = slots.acquire(signal);
    await expect(slots.acquire(signal)).rejects.toMatchObject({
      code: 'rate_limited',
      remedy: 'other_provider',
      retryAfter: 10,
      message: expect.stringContaining('CITEWELL_MODEL_STREAMS'),
    });
    release();
    (await second)();
    (await slots.acquire(signal))();
  });

  it('refuses a request that has waited too long, and serves the next', async () => {
    const slots = createStreamSlots('OpenAI', { ...limits, maxWaitMs: 20 });
    const release = await slots.acquire(signal);
    await expect(slots.acquire(signal)).rejects.toMatchObject({ code: 'rate_limited' });
    release();
    (await slots.acquire(signal))();
  });
});

describe('a setting that a model refuses', () => {
  it('is sent once and not in every request', async () => {
    const fake = await startFakeOpenAi();
    onTestFinished(fake.close);
    const registry = createModelRegistry({ openai: { baseUrl: fake.baseUrl }, retry });
    fake.next(
      openAiError(400, "Unsupported value: 'temperature' does not support 0.1 with this model.", {
        param: 'temperature',
      }),
      openAiError(400, "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", {
        param: 'max_tokens',
      }),
      chatReply({ text: 'One' }),
      chatReply({ text: 'Two' }),
    );
    const config = { temperature: 0.1, maxTokens: 50, extra: { seed: 7, temperature: 0.9 } };
    for (const word of ['One', 'Two']) {
      const model = registry.resolve('openai/gpt-5', 'quality');
      expect(textOf(await ask(model, { config }))).toBe(word);
    }
    expect(fake.requests).toHaveLength(4);
    expect(fake.requests[3]?.body).toMatchObject({ max_completion_tokens: 50, seed: 7 });
    expect(fake.requests[3]?.body).not.toHaveProperty('temperature');
  });
});

describe('the model registry', () => {
  it.each<[string, ModelSettings, { quality: string; fast: string; reasoning: string }]>([
    ['no key', {}, { quality: 'builtin/extractive', fast: 'builtin/extractive', reasoning: 'builtin/extractive' }],
    ['a key of OpenAI', { openai }, DEFAULT_MODELS.openai],
    ['a key of Anthropic', { anthropic }, DEFAULT_MODELS.anthropic],
    ['both keys', { openai, anthropic }, DEFAULT_MODELS.openai],
    [
      'a model named',
      { openai, anthropic, models: { quality: 'anthropic/claude-opus-5-5' } },
      { ...DEFAULT_MODELS.anthropic, quality: 'anthropic/claude-opus-5-5' },
    ],
    [
      'a local model named',
      { openai, ollama: { baseUrl: 'http://x' }, models: { quality: 'ollama/qwen3', reasoning: 'openai/o3' } },
      { quality: 'ollama/qwen3', fast: 'ollama/qwen3', reasoning: 'openai/o3' },
    ],
    [
      'only Ollama, which has no model of its own choosing',
      { ollama: { baseUrl: 'http://x' } },
      { quality: 'builtin/extractive', fast: 'builtin/extractive', reasoning: 'builtin/extractive' },
    ],
  ])('chooses by what is set: %s', (_, settings, expected) => {
    const registry = createModelRegistry({ ...settings, extractive });
    expect({
      quality: registry.defaultName('quality'),
      fast: registry.defaultName('fast'),
      reasoning: registry.defaultName('reasoning'),
    }).toEqual(expected);
    expect(registry.resolve(undefined, 'fast').name).toBe(expected.fast);
  });

  it.each([
    ['openai/gpt-4.1', 'openai/gpt-4.1'],
    ['gpt-4.1', 'openai/gpt-4.1'],
    ['OpenAI/gpt-4.1', 'openai/gpt-4.1'],
    ['anthropic/claude-opus-5-5', 'anthropic/claude-opus-5-5'],
    ['groq/meta-llama/llama-4', 'groq/meta-llama/llama-4'],
    ['builtin/extractive', 'builtin/extractive'],
  ])('resolves %s', (asked, name) => {
    const providers = [{ name: 'groq', baseUrl: 'https://api.groq.com/openai/v1', apiKey: 'gsk' }];
    const registry = createModelRegistry({ openai, anthropic, providers, extractive });
    expect(registry.resolve(asked, 'quality').name).toBe(name);
  });

  it('resolves names without a prefix to the first OpenAI-compatible server', () => {
    const registry = createModelRegistry({ anthropic, providers: [{ name: 'vllm', baseUrl: 'http://x/v1' }] });
    expect(registry.resolve('llama', 'quality').name).toBe('vllm/llama');
  });

  it.each([
    ['mystery/model', 'unknown_model', 'Known providers: openai, anthropic, ollama, groq, builtin.'],
    ['meta-llama/llama-4', 'unknown_model', 'No provider is named "meta-llama"'],
    ['openai/', 'unknown_model', 'ends after its provider'],
    ['openai/gpt-4.1', 'not_configured', 'needs OPENAI_API_KEY'],
    ['anthropic/claude', 'not_configured', 'needs ANTHROPIC_API_KEY'],
    ['ollama/qwen3', 'not_configured', 'needs OLLAMA_BASE_URL'],
    ['builtin/extractive', 'not_configured', 'No language model is configured. Set OPENAI_API_KEY'],
  ])('says why %s cannot be had', (name, code, words) => {
    const settings = name === 'openai/' ? { openai } : { providers: [{ name: 'groq', baseUrl: 'https://x/v1' }] };
    const registry = createModelRegistry(settings);
    expect(() => registry.resolve(name, 'quality')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words) }),
    );
  });

  it('uses the configuration unchanged', () => {
    const config: Pick<Config, 'openai' | 'anthropic' | 'ollama' | 'providers' | 'models'> = {
      openai: {},
      anthropic,
      ollama: {},
      providers: [],
      models: {},
    };
    expect(createModelRegistry({ ...config, extractive }).defaultName('quality')).toMatch(/^anthropic\//);
  });
});

describe('a model from the registry', () => {
  let fake: Awaited<ReturnType<typeof startFakeOpenAi>>;
  let claude: Awaited<ReturnType<typeof startFakeAnthropic>>;
  beforeEach(async () => {
    fake = await startFakeOpenAi();
    claude = await startFakeAnthropic();
  });
  afterEach(async () => {
    await fake.close();
    await claude.close();
  });

  it('calls Ollama by its root address and without a key', async () => {
    fake.next(chatReply({ text: 'Hi' }));
    const registry = createModelRegistry({ ollama: { baseUrl: fake.origin } });
    expect((await ask(registry.resolve('ollama/qwen3:4b', 'quality'))).at(-1)).toMatchObject({
      model: 'ollama/qwen3:4b',
    });
    expect(fake.requests[0]?.path).toBe('/v1/chat/completions');
    expect(fake.requests[0]?.body.model).toBe('qwen3:4b');
  });

  it('names the variable of a further provider whose key is missing', async () => {
    fake.next(openAiError(401, 'no key'));
    const registry = createModelRegistry({ providers: [{ name: 'my-llm', baseUrl: fake.baseUrl }] });
    const failure = await failureOf(ask(registry.resolve('my-llm/x', 'quality')));
    expect(failure).toMatchObject({ message: expect.stringContaining('Set CITEWELL_PROVIDER_MY_LLM_API_KEY') });
  });

  const both = (): ModelSettings => ({
    openai: { ...openai, baseUrl: fake.baseUrl },
    anthropic: { ...anthropic, baseUrl: claude.baseUrl },
    models: { quality: 'openai/gpt-4.1', fallback: 'anthropic/claude-haiku-4-5' },
    retry,
  });

  it('is retried, then replaced by the fallback, which is named as the answering model', async () => {
    fake.next(openAiError(503, 'down'), openAiError(503, 'down'));
    claude.next(messageReply({ text: 'Hello from Claude' }));
    const events = await ask(createModelRegistry(both()).resolve(undefined, 'quality'));
    expect(textOf(events)).toBe('Hello from Claude');
    expect(events.at(-1)).toMatchObject({ model: 'anthropic/claude-haiku-4-5' });
    expect(fake.requests.length).toBe(2);
  });

  it('is never replaced by the fallback when requested by name', async () => {
    fake.otherwise(() => openAiError(503, 'down'));
    const failure = await failureOf(ask(createModelRegistry(both()).resolve('openai/gpt-4.1', 'quality')));
    expect(failure).toMatchObject({ code: 'provider_failed' });
    expect(claude.requests.length).toBe(0);
  });

  it('waits while the maximum number of streams is open at its provider', async () => {
    fake.otherwise(() => chatReply({ text: 'One two' }));
    const registry = createModelRegistry({ openai: { baseUrl: fake.baseUrl }, concurrency: 1 });
    const first = registry.resolve('openai/a', 'quality').stream(modelRequest())[Symbol.asyncIterator]();
    await first.next();

    const second = collect(registry.resolve('openai/b', 'quality').stream(modelRequest()));
    const cancelled = failureOf(ask(registry.resolve('openai/c', 'quality'), { signal: AbortSignal.timeout(50) }));
    expect(await cancelled).toMatchObject({ code: 'cancelled' });
    expect(fake.requests.length).toBe(1);

    await first.return?.();
    expect(textOf(await second)).toBe('One two');
    expect(fake.requests.map((request) => request.body.model)).toEqual(['a', 'b']);
  });
});
