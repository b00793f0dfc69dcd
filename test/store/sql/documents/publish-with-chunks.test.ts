import { expect, it } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import type { NewDocument, Publication } from '../../../../src/store/corpus.ts';
import { describeEngines } from '../../../support/engines.ts';
import {
  direction,
  newChunk,
  newChunks,
  newDocument,
  publication,
  type TestStore,
  testSpace,
} from '../../../support/store.ts';

async function publish({ corpus }: TestStore, document: NewDocument, parts: Partial<Publication>) {
  await corpus.begin(document, { replace: true });
  return corpus.publish(document.id, publication('text', parts));
}

const nearest = (store: TestStore, vector: Float32Array) =>
  store.chunks.nearest({ vector, measure: 'cosine_distance', filter: everything, limit: 1 });

describeEngines('publishing with chunks', (engine) => {
  it('stores the chunks, makes them visible and writes them to the index', async () => {
    const store = await engine.openTestStore();
    const published = await publish(store, newDocument('one'), { chunks: newChunks(3), embeddedIn: testSpace });
    expect(published).toMatchObject({ ingestionStatus: 'success', chunkCount: 3 });
    const [hit] = await nearest(store, direction(2));
    expect(hit).toMatchObject({ documentId: published.id, order: 2 });
    await store.maintenance.replayOutbox();
    const space = await store.spaces.current();
    expect(await (await store.index.open(space?.collection ?? '', 4)).count()).toBe(3);
  });

  it('adds them to staged chunks', async () => {
    const store = await engine.openTestStore();
    const { id } = await store.corpus.begin(newDocument('one'));
    await store.corpus.stage(id, newChunks(3));
    const rest = [newChunk(3, 'the last passage')];
    expect(await store.corpus.publish(id, publication('text', { chunks: rest, chunkCount: 4 }))).toMatchObject({
      chunkCount: 4,
    });
  });

  it('stores none of them if the document cannot be published', async () => {
    const store = await engine.openTestStore();
    const elsewhere = { ...testSpace, version: '2' };
    await expect(
      publish(store, newDocument('one'), { chunks: newChunks(2), embeddedIn: elsewhere }),
    ).rejects.toMatchObject({ code: 'embedding_mismatch' });
    const tooFew = publication('text', { chunks: newChunks(2), chunkCount: 3 });
    await expect(store.corpus.publish(newDocument('one').id, tooFew)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.corpus.chunksOf(newDocument('one').id, { offset: 0, limit: 10 })).toMatchObject({ total: 0 });
    expect(await nearest(store, direction(1))).toEqual([]);
  });

  it('of documents at the same time publishes all but the one that fails', async () => {
    const store = await engine.openTestStore();
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const elsewhere = { ...testSpace, version: '2' };
    const outcomes = await Promise.allSettled(
      names.map((name) => {
        const embeddedIn = name === 'four' ? elsewhere : testSpace;
        return publish(store, newDocument(name), { chunks: newChunks(3), embeddedIn });
      }),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(
      names.map((name) => (name === 'four' ? 'rejected' : 'fulfilled')),
    );
    const { documents, chunks } = await store.corpus.stats();
    expect({ published: documents.success, begun: documents.pending, chunks }).toEqual({
      published: 5,
      begun: 1,
      chunks: 15,
    });
    const stored = await store.sqlite.reader.selectFrom('chunks').select('key').execute();
    expect(stored).toHaveLength(15);
  });
});
