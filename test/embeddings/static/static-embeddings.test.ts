import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEmbeddingModel } from '../../../src/embeddings/registry.ts';
import { staticModel } from '../../../src/embeddings/static/static-model.ts';

const model = createEmbeddingModel('builtin/static-v1', { modelsFolder: '/nowhere' });
const embed = async (...texts: string[]) => model.embed(texts, 'passage');
const cosine = (one: Float32Array = new Float32Array(), two: Float32Array = new Float32Array()) =>
  one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);

describe('the packaged embedder', () => {
  it('gives one vector of unit length per text, in order, of its space', async () => {
    const texts = ['A ferry crosses the sound.', '', '😀', '渡船', 'x'.repeat(200_000)];
    const vectors = await embed(...texts);
    const { dimensions } = await model.space();
    expect(vectors.map(({ length }) => length)).toEqual(texts.map(() => dimensions));
    for (const vector of vectors) expect(cosine(vector, vector)).toBeCloseTo(1, 5);
    expect(await embed(texts[0] ?? '')).toEqual([vectors[0]]);
  });

  it('finds texts with other words for the same thing nearer than others', async () => {
    const [question, right, wrong] = await embed(
      'What does it cost to take my puppy?',
      'Dogs travel free of charge on a lead.',
      'The net result was a surplus of 412,000 kroner.',
    );
    expect(cosine(question, right)).toBeGreaterThan(0.2 + cosine(question, wrong));
  });

  it('reads identifiers as their words', async () => {
    const [camel, snake, words] = await embed('parseHttpHeader', 'parse_http_header', 'parse http header');
    expect(camel).toEqual(words);
    expect(snake).toEqual(words);
  });

  // Stored vectors and queries may come from machines of different kinds.
  it('gives the same bits on every platform', async () => {
    const vectors = await embed(
      'The quick brown fox, aged 7, jumps over the lazy dog; again and again and again.',
      'Café',
    );
    const hash = createHash('sha256');
    for (const { buffer } of vectors) hash.update(new Uint8Array(buffer));
    expect(hash.digest('hex')).toBe('36a45b6e5477cea55d080d54c563e51d6af3bc7fc89e0799dba7e90dc2d3d62f');
  });

  it('stops when asked to', async () => {
    const stopped = model.embed(['hello'], 'query', AbortSignal.abort());
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('the table of token vectors', () => {
  const table = Buffer.from([...Buffer.from('CWSTATIC'), 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 2, 0, 3, 0, 0, 2]);

  it('weighs each token by its scale and by the logarithm of its count', () => {
    const { embed } = staticModel(table, (text) => [...text].map(Number));
    expect([...(embed('0') ?? [])]).toEqual([1, 0]);
    const [x = 0, y = 0] = embed('011') ?? [];
    expect(y / x).toBeCloseTo((4 / 3) * (1 + Math.log(2)), 1);
  });

  it.each([
    ['is cut off', table.subarray(0, -1)],
    ['is of another kind', Buffer.from(`NOTATABL${table.subarray(8).toString('latin1')}`, 'latin1')],
    ['is empty', Buffer.alloc(0)],
  ])('is refused when it %s', (_, bytes) => {
    expect(() => staticModel(bytes, () => [])).toThrow('damaged');
  });
});
