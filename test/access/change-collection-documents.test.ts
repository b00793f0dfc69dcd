import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { changeCollectionDocuments } from '../../src/access/change-collection-documents.ts';
import type { Principal } from '../../src/access/principal.ts';
import { createSharedCollections } from '../../src/access/shared-collections.ts';
import { ingest, newChunk, newDocument, openTestStore } from '../support/store.ts';

const user = (): Principal => ({
  userId: randomUUID(),
  email: 'a@example.com',
  isSuperuser: false,
  collectionIds: [],
});
const { signal } = new AbortController();

it('adds and removes many documents of a collection, says which were not, and refuses those who may not', async () => {
  const store = await openTestStore();
  const [alice, bob] = [user(), user()];
  const shared = createSharedCollections(store);
  const { id } = await shared.create(alice, { name: 'Contracts' });
  const [first, second, old] = ['first', 'second', 'old'].map((name) =>
    newDocument(name, { ownerId: alice.userId, collectionIds: [] }),
  );
  const hidden = newDocument('hidden', { ownerId: bob.userId, collectionIds: [] });
  if (first === undefined || second === undefined || old === undefined) throw new Error('There are three.');
  for (const document of [first, second, old, hidden]) await ingest(store, document, [newChunk(0)]);
  await shared.addDocuments(alice, id, [old.id]);

  const changed = await changeCollectionDocuments(
    shared,
    { by: alice, id, signal },
    { add: [first.id, second.id, first.id, hidden.id, old.id], remove: [old.id, hidden.id] },
  );

  expect(changed).toMatchObject({ added: 2, removed: 1 });
  expect(changed.unchanged.map(({ documentId, code }) => [documentId, code])).toEqual([
    [hidden.id, 'not_found'],
    [old.id, 'conflict'],
    [hidden.id, 'not_found'],
  ]);
  const inIt = await shared.documents(alice, id, { offset: 0, limit: 10 });
  expect(inIt.items.map(({ title }) => title).sort()).toEqual(['first', 'second']);
  const refused = changeCollectionDocuments(shared, { by: bob, id, signal }, { add: [hidden.id], remove: [] });
  await expect(refused).rejects.toMatchObject({ code: 'not_found' });
});
