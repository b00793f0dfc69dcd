import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLexicalHash } from '../../../src/embeddings/lexical-hash.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

const embeddings = createLexicalHash();
const embedded: string[] = [];
const options: unknown[] = [];
let http: RunningHttp;

beforeAll(async () => {
  http = await startHttp({
    embeddings: {
      ...embeddings,
      embed(texts, kind, signal, given) {
        embedded.push(...texts);
        options.push(given);
        return embeddings.embed(texts, kind, signal);
      },
    },
  });
});
afterAll(() => http.close());

const embed = (body: string, type = 'application/json') =>
  http.post('/v3/retrieval/embedding', body, { headers: { 'Content-Type': type } });

describe('D11: the text to embed', () => {
  it.each<[string, string, string]>([
    ['is the text of an object', '{"text":"hello"}', 'hello'],
    ['may come with the model that embeds here', '{"text":"hello","model":"builtin/lexical-hash-v1"}', 'hello'],
    ['is a bare JSON string', '"hello \\"you\\""', 'hello "you"'],
    ['is a number it happens to look like', '123', '123'],
    ['is an object it happens to look like', '{"a":1}', '{"a":1}'],
    ['is an object whose text is none', '{"text":5}', '{"text":5}'],
    ['is what is no JSON', 'just words', 'just words'],
    ['may be long', JSON.stringify('long '.repeat(21_000)), 'long '.repeat(21_000)],
  ])('%s', async (_, body, text) => {
    const response = await embed(body);
    const { results } = (await response.json()) as { results: number[] };
    expect(results).toHaveLength((await embeddings.space()).dimensions);
    expect(Math.hypot(...results)).toBeCloseTo(1);
    expect(embedded.at(-1)).toBe(text);
  });

  it('is not counted as a chunk, by which a learned embedder is judged', async () => {
    options.length = 0;
    expect((await embed('"zyxomma"')).status).toBe(200);
    expect((await http.post('/v1/embeddings', { model: 'citewell', input: ['zyxomma'] })).status).toBe(200);
    expect(options).toEqual([{ areChunks: false }, { areChunks: false }]);
  });

  it('may have another type', async () => {
    expect((await embed('plain', 'text/plain')).status).toBe(200);
  });

  it.each<[string, string, number]>([
    ['nothing', '', 422],
    ['an empty text', '{"text":""}', 400],
    ['an empty string', '""', 400],
    ['another embedder', '{"text":"a","model":"openai/text-embedding-3-small"}', 400],
  ])('is refused: %s', async (_, body, status) => {
    expect((await embed(body)).status).toBe(status);
  });
});
