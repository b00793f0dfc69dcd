import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { changeCollectionDocuments } from '../../src/access/change-collection-documents.ts';
import type { Principal } from '../../src/access/principal.ts';
import { createSharedCollections, type SharedCollections } from '../../src/access/shared-collections.ts';
import { describeEngines } from '../support/engines.ts';
import { addManyDocuments } from '../support/many-documents.ts';
import { ingest, newChunk, newDocument } from '../support/store.ts';

const COUNT = 10_000;
const alice: Principal = { userId: randomUUID(), email: 'a@example.com', isSuperuser: false, collectionIds: [] };
const { signal } = new AbortController();

describeEngines('Ten thousand documents', ({ openTestStore }) => {
  it('are added to a collection and removed in few transactions, beside other writes', async () => {
    const store = await openTestStore();
    const shared = createSharedCollections(store);
    const { id } = await shared.create(alice, { name: 'All' });
    const ids = await addManyDocuments(store, COUNT, alice.userId);
    const foreign = newDocument('foreign', { ownerId: randomUUID(), collectionIds: [] });
    await ingest(store, foreign, [newChunk(0)]);
    let transactions = 0;
    const counted: SharedCollections = {
      ...shared,
      addDocuments(...given) {
        transactions++;
        return shared.addDocuments(...given);
      },
      removeDocuments(...given) {
        transactions++;
        return shared.removeDocuments(...given);
      },
    };
    const change = (changes: { add?: readonly string[]; remove?: readonly string[] }) =>
      changeCollectionDocuments(counted, { by: alice, id, signal }, { add: [], remove: [], ...changes });

    const isDone = { value: false };
    const writing = writeUntil(isDone, () => shared.update(alice, id, { description: randomUUID() }));
    const added = await change({ add: [...ids.slice(0, 5000), foreign.id, ...ids.slice(5000)] });
    expect(added).toMatchObject({ added: COUNT, unchanged: [{ documentId: foreign.id, code: 'not_found' }] });
    expect(await store.collections.get(id)).toMatchObject({ documentCount: COUNT });

    const removed = await change({ remove: ids.slice(1) });
    isDone.value = true;
    expect(removed).toMatchObject({ removed: COUNT - 1, unchanged: [] });
    expect(await store.collections.get(id)).toMatchObject({ documentCount: 1 });
    expect(transactions).toBeLessThan(COUNT / 40);
    expect(await writing).toBeGreaterThan(transactions / 4);
  });

  it('stay in step if the change is interrupted: whole batches are added, and repeating it adds the others', async () => {
    const store = await openTestStore();
    const shared = createSharedCollections(store);
    const { id } = await shared.create(alice, { name: 'All' });
    const ids = await addManyDocuments(store, COUNT, alice.userId);
    const interruption = new AbortController();
    let batches = 0;
    const interrupted: SharedCollections = {
      ...shared,
      async addDocuments(...given) {
        const left = await shared.addDocuments(...given);
        if (++batches === 3) interruption.abort();
        return left;
      },
    };
    const place = { by: alice, id };
    const changes = { add: ids, remove: [] };
    const broken = changeCollectionDocuments(interrupted, { ...place, signal: interruption.signal }, changes);
    await expect(broken).rejects.toThrow('abort');
    const { documentCount: kept = 0 } = (await store.collections.get(id)) ?? {};
    expect(kept).toBeGreaterThanOrEqual(3 * 100);
    expect(kept).toBeLessThan(COUNT);
    const again = await changeCollectionDocuments(shared, { ...place, signal }, changes);
    expect(again.added).toBe(COUNT - kept);
    expect(new Set(again.unchanged.map(({ code }) => code))).toEqual(new Set(['conflict']));
    expect(await store.collections.get(id)).toMatchObject({ documentCount: COUNT });
  });
});

/** Writes again and again, and returns the number of writes. */
async function writeUntil(isDone: { readonly value: boolean }, write: () => Promise<unknown>): Promise<number> {
  let writes = 0;
  for (; !isDone.value; writes++) await write();
  return writes;
}
