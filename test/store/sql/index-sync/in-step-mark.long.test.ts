import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import type { ChunkSearch } from '../../../../src/store/chunk-search.ts';
import { openStore } from '../../../../src/store/sql/open-store.ts';
import { createChunkSearch } from '../../../../src/store/sql/search/chunk-search.ts';
import type { VectorCollection } from '../../../../src/store/vector-index.ts';
import { PATIENT } from '../../../support/patience.ts';
import {
  asTestStore,
  embeddingText,
  ingest,
  newChunk,
  newDocument,
  openTestStore,
  publication,
  type TestStore,
} from '../../../support/store.ts';

// SQLite only: servers share a PostgreSQL database, and others may have written to the index since, so no mark is trusted there.

/** More than are compared exactly in any case. */
const CHUNKS = 2_100;

const vectorOf = (number: number) => Float32Array.of(Math.cos(number / 700), Math.sin(number / 700), 0, 0);

async function openFilled() {
  const store = await openTestStore();
  const chunks = Array.from({ length: CHUNKS }, (_, order) =>
    newChunk(order, `passage ${order}`, { vector: vectorOf(order) }),
  );
  await ingest(store, newDocument('circle'), chunks);
  await ingest(store, newDocument('other'), [newChunk(0, 'other', { vector: vectorOf(5_000) })]);
  await store.maintenance.audit();
  expect(store.maintenance.state()).toEqual({ kind: 'in_step' });
  return store;
}

/** Reopened with an index whose comparison with the records never ends; counts the searches of the index. */
async function reopenUnchecked(store: TestStore, reopen: () => Promise<TestStore>) {
  const { index } = store;
  const { open } = index;
  const comparison = Promise.withResolvers<never>();
  comparison.promise.catch(() => {});
  let searches = 0;
  let counts = 0;
  const unchecked = async (...which: Parameters<typeof open>): Promise<VectorCollection> => {
    const collection = await open(...which);
    return {
      ...collection,
      keys: () => comparison.promise,
      count() {
        counts++;
        return collection.count();
      },
      nearest(...query) {
        searches++;
        return collection.nearest(...query);
      },
    };
  };
  Object.assign(index, { open: unchecked });
  const again = await reopen();
  onTestFinished(() => comparison.reject(new Error('The test is over.')));
  return {
    again,
    counts: () => counts,
    async find(number: number, chunks: ChunkSearch = again.chunks) {
      const notes: string[] = [];
      const before = searches;
      const query = { vector: vectorOf(number), measure: 'cosine_distance', filter: everything, limit: 3 } as const;
      const hits = await chunks.nearest({ ...query, note: (text) => notes.push(text) });
      expect(again.maintenance.state().kind).toBe('checking');
      return { texts: hits.map(({ text }) => text), searches: searches - before, notes };
    },
  };
}

/** Opens the database again without closing it, as after the end of the process. */
const openUnended = async ({ path, index, reopen }: TestStore): Promise<TestStore> =>
  asTestStore(await openStore({ path, index, embeddingText, readers: 1 }), { path, index, reopen });

describe('an index that the last process left in step', () => {
  it('is searched before it has been compared, without what was replaced since', async () => {
    const store = await openFilled();
    const { again, find } = await reopenUnchecked(store, () => store.reopen());
    expect(await find(1_000.2)).toEqual({
      texts: ['passage 1000', 'passage 1001', 'passage 999'],
      searches: 1,
      notes: [],
    });
    expect((await find(5_000)).texts[0]).toBe('other');
    // Its removal from the index waits for the comparison; what is published meanwhile is found at once.
    const replacement = newChunk(0, 'new', { vector: vectorOf(6_000) });
    await again.corpus.begin(newDocument('other'), { replace: true });
    await again.corpus.stage(newDocument('other').id, [replacement]);
    await again.corpus.publish(newDocument('other').id, publication(replacement.text));
    expect((await find(5_000)).texts).not.toContain('other');
    expect((await find(6_000)).texts[0]).toBe('new');
  });

  it('is counted for the first search only', async () => {
    const store = await openFilled();
    const { find, counts } = await reopenUnchecked(store, () => store.reopen());
    expect((await find(1_000)).searches).toBe(1);
    const counted = counts();
    expect(await find(1_001)).toMatchObject({ searches: 1, notes: [] });
    expect(counts()).toBe(counted);
  });

  it('does not delay searches while it does not answer', async () => {
    const store = await openFilled();
    const { again, find } = await reopenUnchecked(store, () => store.reopen());
    const search = createChunkSearch({
      search: again.sqlite.search,
      collections: { open: () => new Promise<never>(() => {}) },
      state: again.maintenance.state,
    });
    expect(await find(1_000.2, search)).toEqual({
      texts: ['passage 1000', 'passage 1001', 'passage 999'],
      searches: 0,
      notes: ['The vector index is being checked; the stored vectors were searched.'],
    });
  });

  it('is not waited for by a search of the codes, which `prepare` has read before', async () => {
    const store = await openFilled();
    const { again, find } = await reopenUnchecked(store, () => store.reopen());
    const called: string[] = [];
    const { search } = again.sqlite;
    const call: typeof search.call = (operation, ...rest) => {
      called.push(operation);
      return search.call(operation, ...rest);
    };
    const prepared = createChunkSearch({
      search: { ...search, call },
      collections: { open: () => new Promise<never>(() => {}) },
      state: again.maintenance.state,
    });
    await prepared.prepare?.();
    expect(called).toEqual(['planNearest', 'readCodes']);
    expect((await find(1_000.2, prepared)).texts).toEqual(['passage 1000', 'passage 1001', 'passage 999']);
    expect(called).toContain('nearestByCodes');
  });

  it('is not asked again while it has not answered, e.g. because it reads its files', async () => {
    const store = await openFilled();
    const { again, find } = await reopenUnchecked(store, () => store.reopen());
    const hasRead = Promise.withResolvers<void>();
    let asked = 0;
    const { index } = again;
    const slow = createChunkSearch({
      search: again.sqlite.search,
      collections: {
        async open({ collection: name, dimensions }) {
          const collection = await index.open(name, dimensions);
          return {
            ...collection,
            async nearest(...query) {
              asked++;
              await hasRead.promise;
              return collection.nearest(...query);
            },
          };
        },
      },
      state: again.maintenance.state,
    });
    const found = ['passage 1000', 'passage 1001', 'passage 999'];
    for (let turn = 0; turn < 3; turn++) {
      expect(await find(1_000.2, slow)).toMatchObject({
        texts: found,
        notes: [expect.stringMatching(/being checked/)],
      });
    }
    expect(asked).toBe(1);
    hasRead.resolve();
    await vi.waitFor(async () => {
      expect(await find(1_000.2, slow)).toMatchObject({ texts: found, notes: [] });
    }, PATIENT);
    expect(asked).toBeGreaterThan(1);
  });

  it('is not searched when it has lost vectors', async () => {
    const store = await openFilled();
    const [name = ''] = await store.index.list();
    const collection = await store.index.open(name, 4);
    const { find } = await reopenUnchecked(store, async () => {
      await store.close();
      await collection.remove(await collection.keys({ offset: 0, limit: 5 }));
      return store.reopen();
    });
    expect(await find(1_000)).toMatchObject({ searches: 0, notes: [expect.stringMatching(/being checked/)] });
  });

  it('is not trusted any longer once the comparison has found a difference', async () => {
    const store = await openFilled();
    const [name = ''] = await store.index.list();
    const collection = await store.index.open(name, 4);
    const { again, find } = await reopenUnchecked(store, async () => {
      await store.close();
      await collection.upsert([{ key: 1_000_000, vector: vectorOf(1) }]);
      return store.reopen();
    });
    await vi.waitFor(() => expect(again.maintenance.state()).toEqual({ kind: 'checking' }), PATIENT);
    expect((await find(1_000)).searches).toBe(0);
    const next = await openUnended(again);
    onTestFinished(() => next.close());
    expect(next.maintenance.state()).not.toHaveProperty('wasInStep', true);
  });

  it('is trusted, too, when the last process was killed', async () => {
    const store = await openFilled();
    const { again, find } = await reopenUnchecked(store, async () => {
      const killed = await store.reopen();
      await ingest(killed, newDocument('late'), [newChunk(0, 'late', { vector: vectorOf(7_000) })]);
      return openUnended(killed);
    });
    onTestFinished(() => again.close());
    expect(await find(1_000)).toMatchObject({ searches: 1, notes: [] });
    expect((await find(7_000)).texts[0]).toBe('late');
  });

  it('is not trusted after another index was used with the same database', async () => {
    const store = await openFilled();
    const { find } = await reopenUnchecked(store, async () => {
      await store.close();
      const index = { ...store.index, isOurs: false };
      await (await openStore({ path: store.path, index, embeddingText, readers: 1 })).close();
      return store.reopen();
    });
    expect(await find(1_000)).toMatchObject({ searches: 0, notes: [expect.stringMatching(/being checked/)] });
  });

  it('is not trusted after it failed', async () => {
    const store = await openFilled();
    store.maintenance.reportFailure(new Error('gone'));
    const { find } = await reopenUnchecked(store, () => store.reopen());
    expect((await find(1_000)).searches).toBe(0);
  });
});
