import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import { memoryVectorIndex } from '../../../../src/store/memory/memory-vector-index.ts';
import { openStore } from '../../../../src/store/sql/open-store.ts';
import type { VectorIndex } from '../../../../src/store/vector-index.ts';
import { migratedDatabase } from '../../../support/migrated-database.ts';
import { embeddingText, newChunk, newDocument, publication, testSpace } from '../../../support/store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A store whose index waits before each write, and records how many chunks each call had. */
async function openWaitingStore() {
  const memory = memoryVectorIndex();
  const calls: string[] = [];
  let mayWrite = Promise.resolve();
  const record = async (call: string) => {
    calls.push(call);
    await mayWrite;
  };
  const index: VectorIndex = {
    ...memory,
    async open(name, dimensions) {
      const collection = await memory.open(name, dimensions);
      return {
        ...collection,
        async upsert(records) {
          await record(`upsert ${records.length}`);
          await collection.upsert(records);
        },
        async remove(keys) {
          await record(`remove ${keys.length}`);
          await collection.remove(keys);
        },
      };
    },
  };
  const path = await migratedDatabase(join(await temporaryFolder(), 'citewell.db'));
  const store = await openStore({ path, index, embeddingText, readers: 1 });
  await store.spaces.claim(testSpace);
  await store.maintenance.audit();
  const publish = async (name: string, text: string, order: number) => {
    const { id } = await store.corpus.begin(newDocument(name), { replace: true });
    const chunks = [newChunk(0, text, { vector: newChunk(order).vector })];
    return store.corpus.publish(id, publication(text, { chunks, embeddedIn: testSpace }));
  };
  const hold = () => {
    const held = Promise.withResolvers<void>();
    mayWrite = held.promise;
    return held.resolve;
  };
  return { store, calls, publish, hold };
}

const NAMES = ['one', 'two', 'three', 'four'];

it.skipIf(inject('engine') !== 'SQLite')('sends the chunks of several documents to the index in one call', async () => {
  const { store, calls, publish, hold } = await openWaitingStore();
  try {
    await publish('first', 'the first', 9);
    const release = hold();
    const writing = store.maintenance.replayOutbox();
    await expect.poll(() => calls).toEqual(['upsert 1']);
    // Published although the index has not answered, and found.
    for (const [order, name] of NAMES.entries()) await publish(name, `the text of ${name}`, order);
    const found = await store.chunks.nearest({
      vector: newChunk(2).vector,
      measure: 'cosine_distance',
      filter: everything,
      limit: 1,
    });
    expect(found).toMatchObject([{ text: 'the text of three' }]);
    expect((await store.corpus.stats()).pendingIndexWrites).toBe(5);
    release();
    await writing;
    await store.maintenance.replayOutbox();
    expect(calls).toEqual(['upsert 1', 'upsert 4']);
    expect((await store.corpus.stats()).pendingIndexWrites).toBe(0);

    calls.length = 0;
    const releaseAgain = hold();
    await publish('first', 'the first, changed', 9);
    const replacing = store.maintenance.replayOutbox();
    await expect.poll(() => calls).toHaveLength(1);
    for (const [order, name] of NAMES.entries()) await publish(name, `the new text of ${name}`, order + 4);
    releaseAgain();
    await replacing;
    await store.maintenance.replayOutbox();
    expect(calls).toEqual(['upsert 1', 'remove 1', 'upsert 4', 'remove 4']);
  } finally {
    await store.close();
  }
});

it.skipIf(inject('engine') !== 'SQLite')('lets documents wait for the index if it lacks too many chunks', async () => {
  const { store, calls, hold } = await openWaitingStore();
  try {
    const { id } = await store.corpus.begin(newDocument('large'));
    const chunks = Array.from({ length: 1_001 }, (_, order) => newChunk(order));
    const release = hold();
    const publishing = store.corpus.publish(id, publication('text', { chunks, embeddedIn: testSpace }));
    await expect.poll(() => calls).toEqual(['upsert 1000']);
    expect((await store.corpus.get(id))?.ingestionStatus).toBe('storing');
    release();
    expect(await publishing).toMatchObject({ ingestionStatus: 'success', chunkCount: 1_001 });
    expect(calls).toEqual(['upsert 1000', 'upsert 1']);
    expect((await store.corpus.stats()).pendingIndexWrites).toBe(0);
  } finally {
    await store.close();
  }
});
