import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmbeddingModel, defaultEmbeddingName, type EmbeddingSettings } from '../../src/embeddings/registry.ts';
import { startFakeOpenAi } from '../support/fake-openai.ts';

let fake: Awaited<ReturnType<typeof startFakeOpenAi>>;
beforeEach(async () => {
  fake = await startFakeOpenAi();
});
afterEach(() => fake.close());

const settings = (change: Partial<EmbeddingSettings> = {}): EmbeddingSettings => ({
  modelsFolder: '/nowhere',
  openai: { apiKey: 'sk-test', baseUrl: fake.baseUrl },
  ollama: { baseUrl: fake.origin },
  ...change,
});

describe('the embedding models', () => {
  it.each([
    ['openai/text-embedding-3-small', 'text-embedding-3-small', undefined],
    ['openai/text-embedding-3-large@8', 'text-embedding-3-large', 8],
    ['ollama/all-minilm:33m', 'all-minilm:33m', undefined],
  ])('include %s', async (name, model, dimensions) => {
    const embedder = createEmbeddingModel(name, settings());
    expect(embedder.name).toBe(name);
    const [vector] = await embedder.embed(['hello'], 'query');
    expect(vector?.length).toBe(dimensions ?? 16);
    expect(fake.requests[0]?.path).toBe('/v1/embeddings');
    expect(fake.requests[0]?.body).toMatchObject({ model, input: ['hello'] });
  });

  it('include a built-in one that needs nothing', async () => {
    const embedder = createEmbeddingModel('builtin/lexical-hash-v1', { modelsFolder: '/nowhere' });
    expect(embedder.name).toBe('builtin/lexical-hash-v1');
    expect(embedder.isLexical).toBe(true);
    const [vector] = await embedder.embed(['hello world'], 'passage');
    expect(vector?.length).toBe((await embedder.space()).dimensions);
  });

  it('include local ones, which are not loaded yet', () => {
    expect(createEmbeddingModel('local/Xenova/all-MiniLM-L6-v2', settings()).name).toBe(
      'local/Xenova/all-MiniLM-L6-v2',
    );
    expect(createEmbeddingModel('local//models/e5', settings()).name).toBe('local//models/e5');
  });

  it.each([
    ['text-embedding-3-small', 'unknown_model', 'Expected <provider>/<model>'],
    ['builtin/other', 'unknown_model', 'builtin/static-v1, builtin/lsa-v1 and builtin/lexical-hash-v1 are'],
    ['anthropic/claude', 'unknown_model', 'Anthropic has no embedding models'],
    ['mystery/x', 'unknown_model', 'No provider is named "mystery"'],
    ['openai/', 'unknown_model', 'Expected <provider>/<model>'],
    ['openai/text-embedding-3-small', 'not_configured', 'needs OPENAI_API_KEY'],
  ])('refuse %s with a message', (name, code, words) => {
    expect(() => createEmbeddingModel(name, { modelsFolder: '/nowhere' })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(words) }),
    );
  });

  it('are recommended when OpenAI’s key is set, but not for another server', () => {
    expect(defaultEmbeddingName({ openai: { apiKey: 'sk' } })).toBe('openai/text-embedding-3-small');
    expect(defaultEmbeddingName(settings())).toBe('builtin/static-v1');
    expect(defaultEmbeddingName({ anthropic: { apiKey: 'sk' } })).toBe('builtin/static-v1');
  });
});
