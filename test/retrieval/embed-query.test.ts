import { expect, it } from 'vitest';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createQueryEmbedder } from '../../src/retrieval/embed-query.ts';

it('an aborted request for a query does not fail a concurrent one for the same query', async () => {
  const first = new AbortController();
  let calls = 0;
  const embedder: EmbeddingModel = {
    name: 'test/one',
    isLexical: false,
    space: async () => ({ embedder: 'test/one', version: '1', dimensions: 1 }),
    async embed(_texts, _kind, signal) {
      calls++;
      if (signal !== first.signal) return [Float32Array.of(calls)];
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  const embedQuery = createQueryEmbedder(embedder);
  const aborted = embedQuery('Seine', first.signal);
  const other = embedQuery('Seine', new AbortController().signal);
  const refused = expect(aborted).rejects.toThrow('No longer wanted.');
  await expect.poll(() => calls).toBe(1);
  first.abort(new Error('No longer wanted.'));
  await refused;
  expect((await other).vector).toEqual(Float32Array.of(2));
  expect(calls).toBe(2);
});

it('an aborted request does not wait for the call that it shares with another', async () => {
  let calls = 0;
  const embedder: EmbeddingModel = {
    name: 'test/one',
    isLexical: false,
    space: async () => ({ embedder: 'test/one', version: '1', dimensions: 1 }),
    embed() {
      calls++;
      return new Promise<never>(() => {});
    },
  };
  const embedQuery = createQueryEmbedder(embedder);
  void embedQuery('Seine', new AbortController().signal);
  await expect.poll(() => calls).toBe(1);
  const second = new AbortController();
  const refused = expect(embedQuery('Seine', second.signal)).rejects.toThrow('No longer wanted.');
  second.abort(new Error('No longer wanted.'));
  await refused;
});
