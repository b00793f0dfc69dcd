import { describe, expect, it } from 'vitest';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';
import type { VectorSpaceName } from '../../../src/store/vector-index.ts';
import { describeEngines } from '../../support/engines.ts';
import {
  direction,
  ingest,
  newChunks,
  newDocument,
  publication,
  type TestStore,
  testSpace,
} from '../../support/store.ts';

describeEngines('Vector spaces', ({ openTestStore }) => {
  const all = { offset: 0, limit: 1000 };
  const never = new AbortController().signal;

  interface CountingEmbedder extends EmbeddingModel {
    readonly texts: string[];
  }

  /** Embeds into 3 dimensions by the length of the text, and records its inputs. */
  function embedder(change: Partial<VectorSpaceName> = {}, onBatch: () => unknown = () => {}): CountingEmbedder {
    const space = { embedder: 'test/lengths', version: '1', dimensions: 3, ...change };
    const texts: string[] = [];
    return {
      name: space.embedder,
      isLexical: false,
      texts,
      space: async () => space,
      async embed(batch) {
        await onBatch();
        texts.push(...batch);
        return batch.map(({ length }) =>
          Float32Array.from({ length: space.dimensions }, (_, index) => (index === length % space.dimensions ? 1 : 0)),
        );
      },
    };
  }

  /** The corpus's first space, as an embedder. */
  const firstEmbedder = (): EmbeddingModel => ({
    ...embedder(testSpace),
    embed: async (texts) => texts.map((text) => direction(text.length)),
  });

  async function run<Progress, Result>(steps: AsyncGenerator<Progress, Result>) {
    const progress: Progress[] = [];
    for (;;) {
      const step = await steps.next();
      if (step.done) return { progress, result: step.value };
      progress.push(step.value);
    }
  }

  const countIndexed = async ({ index }: TestStore, name: string, dimensions: number) =>
    (await index.open(name, dimensions)).count();

  async function storeWith(chunkCount: number): Promise<TestStore> {
    const store = await openTestStore();
    await ingest(store, newDocument('one'), newChunks(chunkCount));
    return store;
  }

  describe('claiming the corpus', () => {
    it('is granted again to its embedder', async () => {
      const store = await storeWith(2);
      await store.spaces.claim(testSpace);
      const again = await store.spaces.current();
      expect(again).toMatchObject({ ...testSpace, state: 'current', vectors: 2 });
      expect(again?.collection).toMatch(/^citewell-test-angles-4-[0-9a-f]{12}$/);
      expect(await store.spaces.list()).toHaveLength(1);
    });

    it('is refused to another embedder, naming both and the remedy', async () => {
      const store = await storeWith(1);
      const refused = store.spaces.claim({ embedder: 'openai/large', version: '2', dimensions: 3072 });
      await expect(refused).rejects.toMatchObject({
        code: 'embedding_mismatch',
        message: expect.stringMatching(/test\/angles.*openai\/large.*citewell reindex/),
      });
      await expect(store.spaces.claim({ ...testSpace, version: '2' })).rejects.toMatchObject({
        code: 'embedding_mismatch',
      });
    });

    it('is granted to any embedder while the corpus is empty', async () => {
      const store = await openTestStore();
      const old = await store.spaces.current();
      await store.spaces.claim({ embedder: 'other/one', version: '1', dimensions: 8 });
      const space = await store.spaces.current();
      expect(space).toMatchObject({ embedder: 'other/one', version: '1', dimensions: 8 });
      expect(await store.spaces.list()).toEqual([space]);
      await store.maintenance.audit();
      expect(await store.index.list()).toEqual([space?.collection]);
      expect(old?.collection).not.toBe(space?.collection);
    });

    it('gives two corpora in one index collections of their own', async () => {
      const [one, two] = [await openTestStore(), await openTestStore()];
      expect((await one.spaces.current())?.collection).not.toBe((await two.spaces.current())?.collection);
    });
  });

  describe('reindexing', () => {
    it('embeds every chunk again with title and headings, then switches, and keeps the old space', async () => {
      const store = await storeWith(600);
      const model = embedder();
      const { progress, result } = await run(store.spaces.reindex(model, never));
      expect(progress.at(0)).toEqual({ done: 0, total: 600 });
      expect(progress.at(-1)).toEqual({ done: 600, total: 600 });
      // One more for the document's description.
      expect(model.texts).toHaveLength(601);
      expect(model.texts[0]).toBe('one\npassage number 0');
      expect(result).toMatchObject({ embedder: 'test/lengths', state: 'current', vectors: 600 });
      expect((await store.spaces.list()).map(({ state }) => state)).toEqual(['previous', 'current']);

      await store.maintenance.audit();
      expect(await countIndexed(store, result.collection, 3)).toBe(600);
      const { items } = await store.corpus.chunksOf(newDocument('one').id, { offset: 0, limit: 1 });
      const vectors = await store.corpus.vectorsOf(items.map(({ id }) => id));
      expect([...vectors.values()][0]).toHaveLength(3);
    });

    it('resumes after a stop, leaving the current space unchanged until the switch', async () => {
      const store = await storeWith(600);
      const steps = store.spaces.reindex(embedder(), never);
      await steps.next();
      await steps.next();
      await steps.return(undefined as never);
      expect(await store.spaces.current()).toMatchObject({ ...testSpace, vectors: 600 });

      const next = await store.reopen();
      const rest = embedder();
      const { result } = await run(next.spaces.reindex(rest, never));
      expect(rest.texts.length).toBe(600 - 256 + 1);
      expect(result).toMatchObject({ state: 'current', vectors: 600 });
    });

    it('includes documents ingested meanwhile, in both spaces', async () => {
      const store = await storeWith(300);
      let arrivals = 0;
      const model = embedder({}, async () => {
        if (arrivals++ < 3) await ingest(store, newDocument(`late ${arrivals}`), newChunks(10));
      });
      const { result } = await run(store.spaces.reindex(model, never));
      expect(result.vectors).toBe(330);
      const [old] = await store.spaces.list();
      expect(old).toMatchObject({ state: 'previous', vectors: 330 });
      await store.maintenance.audit();
      expect(await countIndexed(store, result.collection, 3)).toBe(330);
    });

    it('drops documents removed meanwhile', async () => {
      const store = await storeWith(300);
      await ingest(store, newDocument('two'), newChunks(5));
      const model = embedder({}, () =>
        store.corpus.remove({ kind: 'compare', field: 'title', op: 'eq', value: 'two' }),
      );
      const { result } = await run(store.spaces.reindex(model, never));
      expect(result.vectors).toBe(300);
      await store.maintenance.audit();
      expect(await countIndexed(store, result.collection, 3)).toBe(300);
    });

    it('refuses an ingestion of the old embedder after the switch', async () => {
      const store = await storeWith(1);
      const late = newDocument('late');
      await store.corpus.begin(late);
      await run(store.spaces.reindex(embedder({ dimensions: 4 }), never));
      const staging = store.corpus.stage(late.id, newChunks(1), { embeddedIn: testSpace });
      await expect(staging).rejects.toMatchObject({ code: 'embedding_mismatch' });
    });

    it('publishes a document that was staged before the switch', async () => {
      const store = await storeWith(1);
      const late = newDocument('late');
      await store.corpus.begin(late);
      await store.corpus.stage(late.id, newChunks(4));
      await run(store.spaces.reindex(embedder(), never));
      await store.corpus.publish(late.id, publication('text'));
      expect((await store.corpus.chunksOf(late.id, all)).total).toBe(4);
      await store.maintenance.audit();
      expect(await countIndexed(store, (await store.spaces.current())?.collection ?? '', 3)).toBe(5);
    });

    it('drops the space before the previous one, and a half-built one of another embedder', async () => {
      const store = await storeWith(300);
      const abandoned = store.spaces.reindex(embedder({ embedder: 'test/abandoned' }), never);
      await abandoned.next();
      await abandoned.next();
      await abandoned.return(undefined as never);
      await run(store.spaces.reindex(embedder({ embedder: 'test/second' }), never));
      await run(store.spaces.reindex(embedder({ embedder: 'test/third' }), never));
      const spaces = await store.spaces.list();
      expect(spaces.map((space) => [space.embedder, space.state])).toEqual([
        ['test/second', 'previous'],
        ['test/third', 'current'],
      ]);
      await store.maintenance.audit();
      expect((await store.index.list()).sort()).toEqual(spaces.map(({ collection }) => collection).sort());
    });

    it('has nothing to do for the current embedder', async () => {
      const store = await storeWith(3);
      const model = { ...firstEmbedder(), embed: () => Promise.reject(new Error('not to be asked')) };
      const { result } = await run(store.spaces.reindex(model, never));
      expect(result).toMatchObject({ ...testSpace, state: 'current', vectors: 3 });
    });

    it('is refused while another is under way', async () => {
      const store = await storeWith(3);
      const first = store.spaces.reindex(embedder(), never);
      await first.next();
      await expect(run(store.spaces.reindex(embedder(), never))).rejects.toMatchObject({ code: 'conflict' });
      await first.return(undefined as never);
    });

    it('stops on abort', async () => {
      const store = await storeWith(3);
      const stopping = new AbortController();
      const model = embedder({}, () => stopping.abort(new Error('enough')));
      await expect(run(store.spaces.reindex(model, stopping.signal))).rejects.toThrow('enough');
      expect(await store.spaces.current()).toMatchObject(testSpace);
    });

    it('succeeds while the index is down, which is filled when it is back', async () => {
      const store = await storeWith(5);
      await store.maintenance.audit();
      store.index.simulateOutage();
      const { result } = await run(store.spaces.reindex(embedder(), never));
      expect(result).toMatchObject({ state: 'current', vectors: 5 });
      expect(store.maintenance.state().kind).not.toBe('in_step');
      store.index.endOutage('intact');
      await store.maintenance.audit();
      expect(await countIndexed(store, result.collection, 3)).toBe(5);
    });
  });

  describe('going back', () => {
    it('makes the previous space current, including later documents', async () => {
      const store = await storeWith(3);
      await run(store.spaces.reindex(embedder({ dimensions: 4 }), never));
      await ingest(store, newDocument('since'), newChunks(2));
      const { result } = await run(store.spaces.goBack(firstEmbedder(), never));
      expect(result).toMatchObject({ ...testSpace, state: 'current', vectors: 5 });
      expect((await store.spaces.list()).map(({ state }) => state)).toEqual(['current', 'previous']);
      await store.maintenance.audit();
      expect(await countIndexed(store, result.collection, 4)).toBe(5);
    });

    it('needs an earlier space, and its embedder', async () => {
      const store = await storeWith(1);
      await expect(run(store.spaces.goBack(firstEmbedder(), never))).rejects.toMatchObject({ code: 'invalid_request' });
      await run(store.spaces.reindex(embedder(), never));
      await expect(run(store.spaces.goBack(embedder(), never))).rejects.toMatchObject({
        code: 'embedding_mismatch',
        message: expect.stringMatching(/test\/angles.*test\/lengths/),
      });
    });
  });
});
