import { expect, it } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { defaultCollectionId, newId } from '../../../src/documents/ids.ts';
import { ingest, newChunks, newDocument, openTestStore } from '../../support/store.ts';

const ownerId = defaultAdmin.userId;
const usual = { id: defaultCollectionId(ownerId), ownerId, name: 'Default' };

it('makes a collection once and returns it unchanged from then on', async () => {
  const { collections } = await openTestStore();
  const made = await collections.ensure(usual);
  expect(made).toMatchObject({ ...usual, description: null, documentCount: 0 });
  expect(await collections.ensure({ ...usual, name: 'Another name' })).toEqual(made);
  expect(await collections.get(usual.id.toUpperCase())).toEqual(made);
  expect(await collections.findByName(ownerId, 'Default')).toEqual(made);
  expect(await collections.findByName(newId(), 'Default')).toBeUndefined();
  expect(await collections.get(newId())).toBeUndefined();
});

it('counts the documents of a collection', async () => {
  const store = await openTestStore();
  await store.collections.ensure(usual);
  await ingest(store, newDocument('one'), newChunks(1));
  await ingest(store, newDocument('two', { collectionIds: [newId(), usual.id.toUpperCase()] }), newChunks(1));
  expect(await store.collections.get(usual.id)).toMatchObject({ documentCount: 2 });
  await store.corpus.remove({ kind: 'compare', field: 'title', op: 'eq', value: 'one' });
  expect(await store.collections.get(usual.id)).toMatchObject({ documentCount: 1 });
});

it('lists the collections of one owner or of all, in pages', async () => {
  const { collections } = await openTestStore();
  for (const name of ['a', 'b', 'c']) await collections.ensure({ id: newId(), ownerId, name });
  await collections.ensure({ id: newId(), ownerId: newId(), name: 'foreign' });
  const mine = await collections.list(ownerId, { offset: 0, limit: 2 });
  expect(mine.total).toBe(3);
  expect(mine.items).toHaveLength(2);
  expect((await collections.list(null, { offset: 3, limit: 10 })).items).toHaveLength(1);
});
