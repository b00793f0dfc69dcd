import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { memoryVectorIndex } from '../../../../src/store/memory/memory-vector-index.ts';
import { openStore } from '../../../../src/store/sql/open-store.ts';
import type { VectorCollection, VectorIndex } from '../../../../src/store/vector-index.ts';
import { migratedDatabase } from '../../../support/migrated-database.ts';
import { embeddingText, newChunk, newDocument, publication, testSpace } from '../../../support/store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

type Hooks = { -readonly [name in 'keys' | 'nearest']?: () => Promise<void> };

/** A store with one document of `NAMES`, whose index calls a hook once before it lists keys or searches. */
async function openHookedStore() {
  const memory = memoryVectorIndex();
  const hooks: Hooks = {};
  const runHook = async (name: keyof Hooks) => {
    const hook = hooks[name];
    delete hooks[name];
    await hook?.();
  };
  const index: VectorIndex = {
    ...memory,
    async open(name, dimensions) {
      const collection = await memory.open(name, dimensions);
      const hooked: Partial<VectorCollection> = {
        async keys(page) {
          await runHook('keys');
          return collection.keys(page);
        },
        async nearest(...query) {
          await runHook('nearest');
          return collection.nearest(...query);
        },
      };
      return { ...collection, ...hooked };
    },
  };
  const reports: string[] = [];
  const path = await migratedDatabase(join(await temporaryFolder(), 'citewell.db'));
  const store = await openStore({ path, index, embeddingText, readers: 1, report: (text) => reports.push(text) });
  await store.spaces.claim(testSpace);
  const publish = async (name: string, order: number) => {
    const { id } = await store.corpus.begin(newDocument(name), { replace: true });
    const chunks = [newChunk(0, `the text of ${name}`, { vector: newChunk(order).vector })];
    await store.corpus.publish(id, publication(`the text of ${name}`, { chunks, embeddedIn: testSpace }));
    return id;
  };
  const first = await publish('first', 9);
  await store.maintenance.audit();
  return { store, memory, hooks, reports, publish, first };
}

it.skipIf(inject('engine') !== 'SQLite')(
  'the index is not rebuilt because of documents that are published while it is checked',
  async () => {
    const { store, memory, hooks, reports, publish } = await openHookedStore();
    try {
      hooks.keys = async () => {
        for (const order of [1, 2, 3]) await publish(`later ${order}`, order);
      };
      await store.maintenance.audit();
      expect(hooks.keys).toBeUndefined();
      await store.maintenance.replayOutbox();
      expect(reports).toEqual([]);
      const [name = ''] = await memory.list();
      expect(await (await memory.open(name, 4)).count()).toBe(4);
    } finally {
      await store.close();
    }
  },
);

it.skipIf(inject('engine') !== 'SQLite')(
  'the index is not rebuilt because of documents that are deleted while it is checked',
  async () => {
    const { store, memory, hooks, reports, publish, first } = await openHookedStore();
    try {
      await publish('kept', 1);
      await store.maintenance.replayOutbox();
      hooks.nearest = async () => {
        await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: first });
        const [name = ''] = await memory.list();
        const collection = await memory.open(name, 4);
        await collection.remove((await collection.keys({ offset: 0, limit: 10 })).slice(0, 1));
      };
      await store.maintenance.audit();
      expect(hooks.nearest).toBeUndefined();
      expect(reports).toEqual([]);
    } finally {
      await store.close();
    }
  },
);

it.skipIf(inject('engine') !== 'SQLite')('the index is rebuilt when it finds only some of its vectors', async () => {
  const { store, memory, hooks, reports, publish } = await openHookedStore();
  try {
    for (const order of [1, 2, 3]) await publish(`later ${order}`, order);
    await store.maintenance.replayOutbox();
    const [name = ''] = await memory.list();
    const collection = await memory.open(name, 4);
    hooks.nearest = async () => collection.clear();
    await store.maintenance.audit();
    expect(reports).toEqual(['The vector index does not find its own vectors and is rebuilt.']);
    expect(await collection.count()).toBe(4);
  } finally {
    await store.close();
  }
});
