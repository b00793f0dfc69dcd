import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OpenAiEmbeddingParts, openAiEmbeddings } from '../../src/embeddings/openai-embeddings.ts';
import { openAiClient } from '../../src/models/openai/openai-provider.ts';
import { failureOf, openAiProvider } from '../models/support.ts';
import { embeddingsReply, fakeVector, openAiError, rateLimited, startFakeOpenAi } from '../support/fake-openai.ts';
import { brokenConnection, jsonReply, silence } from '../support/fake-provider.ts';

let fake: Awaited<ReturnType<typeof startFakeOpenAi>>;
beforeEach(async () => {
  fake = await startFakeOpenAi();
});
afterEach(() => fake.close());

const retry = { maxTries: 3, firstDelayMs: 1, maxDelayMs: 2, maxTotalWaitMs: 3000 };

function embedder(change: Partial<OpenAiEmbeddingParts> = {}, isOpenAi = true) {
  const provider = openAiProvider(fake.baseUrl, { isOpenAi });
  return openAiEmbeddings({
    provider,
    client: openAiClient(provider),
    model: 'some-embedder',
    retry,
    ...change,
  });
}

const dot = (left: ArrayLike<number>, right: ArrayLike<number>): number =>
  Array.from(left).reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

const tooLong = () =>
  openAiError(400, "This model's maximum context length is 8192 tokens, however you requested 9001 tokens.");

describe('an embedding model over HTTP', () => {
  it('loads its client ahead without a request', async () => {
    const load = vi.fn(openAiClient(openAiProvider(fake.baseUrl, { isOpenAi: true })));
    await embedder({ client: load }).preload?.();
    expect(load).toHaveBeenCalledOnce();
    expect(fake.requests).toEqual([]);
  });

  it('returns one vector of length one per text, in order', async () => {
    const vectors = await embedder().embed(['alpha', 'beta'], 'passage');
    expect(vectors.length).toBe(2);
    for (const [index, text] of ['alpha', 'beta'].entries()) {
      const vector = vectors[index] ?? [];
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
      const expected = fakeVector(text);
      expect(dot(vector, expected) / Math.sqrt(dot(expected, expected))).toBeCloseTo(1, 5);
    }
    expect(fake.requests[0]?.body).toEqual({
      model: 'some-embedder',
      input: ['alpha', 'beta'],
      encoding_format: 'float',
    });
  });

  it('puts vectors that came out of order into order', async () => {
    fake.next(
      embeddingsReply(
        [
          [1, 0],
          [0, 1],
        ],
        { shuffle: true },
      ),
    );
    expect(await embedder().embed(['a', 'b'], 'query')).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
  });

  it('queries the dimension once', async () => {
    const model = embedder();
    expect(await model.space()).toEqual({ embedder: 'openai/some-embedder', version: '1', dimensions: 16 });
    await model.space();
    await model.embed(['x'], 'query');
    expect(fake.requests.length).toBe(2);
  });

  it('knows the dimensions of OpenAI’s models without a request, and can request shorter ones', async () => {
    expect((await embedder({ model: 'text-embedding-3-large' }).space()).dimensions).toBe(3072);
    const short = embedder({ model: 'text-embedding-3-large', dimensions: 24 });
    expect(await short.space()).toMatchObject({ embedder: 'openai/text-embedding-3-large@24', dimensions: 24 });
    expect(fake.requests.length).toBe(0);
    expect((await short.embed(['x'], 'query'))[0]?.length).toBe(24);
    expect(fake.requests[0]?.body.dimensions).toBe(24);
  });

  it('sends many texts in few requests', async () => {
    const vectors = await embedder().embed(
      Array.from({ length: 600 }, (_, index) => `text ${index}`),
      'passage',
    );
    expect(vectors.length).toBe(600);
    expect(fake.requests.map((request) => request.body.input.length)).toEqual([512, 88]);
  });

  it('keeps a request below its limit of tokens', async () => {
    await embedder().embed(
      Array.from({ length: 60 }, () => 'word '.repeat(5000)),
      'passage',
    );
    expect(fake.requests.length).toBeGreaterThan(1);
    for (const { body } of fake.requests) expect(body.input.join('').length / 4).toBeLessThan(300_000);
  });

  it('cuts texts that are too long and never inside a character', async () => {
    const [vector] = await embedder().embed(['😀'.repeat(50_000)], 'passage');
    expect(vector?.length).toBe(16);
    const [sent] = fake.requests[0]?.body.input ?? [];
    expect(sent.length).toBeLessThan(20_000);
    expect(sent.isWellFormed()).toBe(true);
  });

  it('halves the one text that the server still finds too long', async () => {
    const long = 'x'.repeat(4000);
    fake.otherwise(({ body }) =>
      body.input.some((text: string) => text.length > 1500)
        ? tooLong()
        : embeddingsReply(body.input.map((text: string) => fakeVector(text))),
    );
    const vectors = await embedder().embed(['a', long, 'b', 'c'], 'passage');
    expect(vectors.length).toBe(4);
    const accepted = fake.requests
      .map((request) => request.body.input.map((text: string) => text.length))
      .filter((lengths) => Math.max(...lengths) <= 1500);
    expect(accepted).toEqual([[1], [1000], [1, 1]]);
  });

  it('gives up on a server that finds everything too long', async () => {
    fake.otherwise(tooLong);
    expect(await failureOf(embedder().embed(['abcdefgh'], 'query'))).toMatchObject({ code: 'invalid_request' });
  });

  it('sends a space for an empty text', async () => {
    await embedder().embed([''], 'query');
    expect(fake.requests[0]?.body.input).toEqual([' ']);
  });

  it('sends nothing for no texts', async () => {
    expect(await embedder().embed([], 'passage')).toEqual([]);
    expect(fake.requests.length).toBe(0);
  });

  it('distinguishes queries from passages for models that need it', async () => {
    const model = embedder({ model: 'intfloat/multilingual-e5-small' });
    await model.embed(['x'], 'query');
    await model.embed(['x'], 'passage');
    expect(fake.requests.map((request) => request.body.input)).toEqual([['query: x'], ['passage: x']]);
  });

  it('retries after failures, and waits as long as the server asks', async () => {
    fake.next(rateLimited('0.2'), brokenConnection);
    expect((await embedder().embed(['x'], 'query')).length).toBe(1);
    expect(fake.requests.length).toBe(3);
    expect((fake.requests[1]?.at ?? 0) - (fake.requests[0]?.at ?? 0)).toBeGreaterThan(190);
  });

  it('refuses vectors of another length than before', async () => {
    const model = embedder();
    await model.space();
    fake.next(embeddingsReply([[1, 2, 3]]));
    expect(await failureOf(model.embed(['x'], 'query'))).toMatchObject({
      code: 'provider_failed',
      message: expect.stringContaining('a vector of 3 numbers'),
    });
  });

  it.each([
    ['too few vectors', embeddingsReply([[1, 2]])],
    [
      'a vector of zeros',
      embeddingsReply([
        [0, 0],
        [1, 0],
      ]),
    ],
    ['something else', jsonReply({ ok: true })],
    [
      'an index that is not asked for',
      jsonReply({
        data: [
          { index: 0, embedding: [1] },
          { index: 7, embedding: [1] },
        ],
      }),
    ],
  ])('refuses %s', async (_, reply) => {
    fake.next(reply);
    expect(await failureOf(embedder().embed(['a', 'b'], 'query'))).toMatchObject({ code: 'provider_failed' });
  });

  it('gives up on a silent server', async () => {
    fake.otherwise(() => silence);
    const model = embedder({ timeoutMs: 50, retry: { ...retry, maxTries: 1 } });
    expect(await failureOf(model.embed(['x'], 'query'))).toMatchObject({ code: 'timeout' });
  });

  it('ends the request at once when the caller aborts', async () => {
    fake.next(silence);
    const abort = new AbortController();
    const failure = failureOf(embedder().embed(['x'], 'query', abort.signal));
    await vi.waitFor(() => expect(fake.requests.length).toBe(1), 10_000);
    abort.abort();
    expect(await failure).toMatchObject({ code: 'cancelled' });
    expect(await fake.requests[0]?.end).toBe('left');
    expect(fake.requests.length).toBe(1);
  });
});
