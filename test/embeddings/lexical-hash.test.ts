import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';

const embedder = createLexicalHash();
const embed = async (...texts: string[]) => embedder.embed(texts, 'passage');
const dot = (one: Float32Array, two: Float32Array) => one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);
const nearness = async (one: string, two: string) => {
  const [first = new Float32Array(), second = new Float32Array()] = await embed(one, two);
  return dot(first, second);
};

describe('the lexical hash', () => {
  it('names its vector space and declares itself lexical', async () => {
    expect(await embedder.space()).toMatchObject({ embedder: 'builtin/lexical-hash-v1', dimensions: 768 });
    expect(embedder.isLexical).toBe(true);
  });

  it('lets other work run between few long texts', async () => {
    let others = 0;
    const count = () => {
      others += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await embed(...['ferry ', 'bread ', 'tides '].map((word) => word.repeat(6_000)));
    clearImmediate(timer);
    expect(others).toBeGreaterThanOrEqual(3);
  });

  it('gives unit vectors for any text, also the empty one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 100 }), async (text) => {
        const [vector = new Float32Array()] = await embed(text);
        expect(vector).toHaveLength(768);
        expect(dot(vector, vector)).toBeCloseTo(1, 4);
      }),
      { numRuns: 50 },
    );
    const [empty = new Float32Array()] = await embed('');
    expect(dot(empty, empty)).toBe(1);
  });

  it('gives the same text the same vector in every version', async () => {
    const [vector = new Float32Array()] = await embed('The quick brown fox');
    const heaviest = [...vector.entries()].sort((one, two) => Math.abs(two[1]) - Math.abs(one[1])).slice(0, 3);
    expect(heaviest.map(([place, value]) => [place, Number(value.toFixed(4))])).toMatchInlineSnapshot(`
      [
        [
          105,
          -0.4472,
        ],
        [
          292,
          0.4472,
        ],
        [
          762,
          -0.4472,
        ],
      ]
    `);
  });

  it('puts texts that share words nearer than texts that do not', async () => {
    const shared = await nearness('the fox jumps over the dog', 'a fox and a dog');
    expect(shared).toBeGreaterThan(await nearness('the fox jumps over the dog', 'quarterly revenue of the bank'));
  });

  it('gives similar vectors to inflected and misspelt words', async () => {
    expect(await nearness('connection', 'connected')).toBeGreaterThan(0.9);
    expect(await nearness('government', 'goverment')).toBeGreaterThan((await nearness('government', 'elephant')) + 0.2);
    expect(await nearness('東京都庁', '東京都')).toBeGreaterThan(0.5);
  });

  it('returns vectors in the order of the texts for large batches', async () => {
    const texts = Array.from({ length: 100 }, (_, number) => `text number ${number}`);
    const [together, alone] = [await embed(...texts), await embed('text number 77')];
    expect(together[77]).toEqual(alone[0]);
  });

  it('stops when the caller aborts', async () => {
    const leaving = new AbortController();
    leaving.abort();
    const embedding = embedder.embed(['text'], 'query', leaving.signal);
    await expect(embedding).rejects.toMatchObject({ code: 'cancelled' });
  });
});
