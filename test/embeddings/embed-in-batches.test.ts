import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embedInBatches } from '../../src/embeddings/embed-in-batches.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { ServiceError } from '../../src/errors.ts';
import { failureOf } from '../models/support.ts';

/** An embedder whose vector for each text is the text's number; later batches finish first. */
function numbering(change: Partial<EmbeddingModel> = {}) {
  const open = { now: 0, most: 0, calls: 0 };
  const model: EmbeddingModel = {
    name: 'test/numbers',
    isLexical: false,
    space: async () => ({ embedder: 'test/numbers', version: '1', dimensions: 1 }),
    async embed(texts) {
      open.calls++;
      open.now++;
      open.most = Math.max(open.most, open.now);
      await sleep(Math.max(0, 5 - open.calls));
      open.now--;
      return texts.map((text) => Float32Array.of(Number(text)));
    },
    ...change,
  };
  return { model, open };
}

const signal = new AbortController().signal;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe('embedding in batches', () => {
  it('keeps the order of the texts, whatever the sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        async (count, batchSize, concurrency) => {
          const { model, open } = numbering();
          const vectors = await embedInBatches(model, numbers(count), {
            kind: 'passage',
            signal,
            batchSize,
            concurrency,
          });
          expect(vectors.map((vector) => vector[0])).toEqual(numbers(count).map(Number));
          expect(open.calls).toBe(Math.ceil(count / batchSize));
          expect(open.most).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('reports progress', async () => {
    const progress: number[][] = [];
    await embedInBatches(numbering().model, numbers(10), {
      kind: 'passage',
      signal,
      batchSize: 4,
      onProgress: (done, total) => progress.push([done, total]),
    });
    expect(progress.length).toBe(3);
    expect(progress.at(-1)).toEqual([10, 10]);
  });

  it('ends with the first failure and stops the rest', async () => {
    const failure = new ServiceError('provider_failed', 'Down.');
    let calls = 0;
    const stopped: boolean[] = [];
    const { model } = numbering({
      async embed(_, __, given) {
        if (++calls === 1) throw failure;
        await sleep(20);
        stopped.push(given?.aborted ?? false);
        throw new ServiceError('cancelled', 'Stopped.');
      },
    });
    const options = { kind: 'passage', signal, batchSize: 1, concurrency: 2 } as const;
    expect(await failureOf(embedInBatches(model, numbers(50), options))).toBe(failure);
    await sleep(40);
    expect(calls).toBe(2);
    expect(stopped).toEqual([true]);
  });

  it('does not begin when it is cancelled already', async () => {
    const { model, open } = numbering();
    const options = { kind: 'passage', signal: AbortSignal.abort() } as const;
    expect(await failureOf(embedInBatches(model, numbers(3), options))).toMatchObject({ code: 'cancelled' });
    expect(open.calls).toBe(0);
  });
});
