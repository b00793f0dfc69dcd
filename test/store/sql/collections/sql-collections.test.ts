import { expect, it } from 'vitest';
import { defaultAdmin } from '../../../../src/access/principal.ts';
import type { Filter } from '../../../../src/documents/filter.ts';
import { defaultCollectionId, newId } from '../../../../src/documents/ids.ts';
import { describeEngines } from '../../../support/engines.ts';
import { direction, ingest, newChunks, newDocument, publication } from '../../../support/store.ts';

describeEngines('A collection', ({ openTestStore }) => {
  const ownerId = defaultAdmin.userId;
  const usual = { id: defaultCollectionId(ownerId), ownerId, name: 'Default' };

  it('creates a collection once and returns the existing one afterwards', async () => {
    const { collections } = await openTestStore();
    const made = await collections.ensure(usual);
    expect(made).toMatchObject({ ...usual, description: null, documentCount: 0 });
    expect(await collections.ensure({ ...usual, name: 'Another name' })).toEqual(made);
    expect(await collections.get(usual.id.toUpperCase())).toEqual(made);
    expect(await collections.findByName(ownerId, 'Default')).toEqual(made);
    expect(await collections.findByName(newId(), 'Default')).toBeUndefined();
    expect(await collections.get(newId())).toBeUndefined();
    expect(await collections.existing([newId(), usual.id.toUpperCase()])).toEqual([usual.id]);
    expect(await collections.existing([])).toEqual([]);
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

  it('lists the collections of one owner, of one member, by id or all, in pages', async () => {
    const { collections } = await openTestStore();
    const mine = ['a', 'b', 'c'].map((name) => ({ id: newId(), ownerId, name }));
    for (const each of mine) await collections.ensure(each);
    const foreign = await collections.ensure({ id: newId(), ownerId: newId(), name: 'foreign' });
    const page = await collections.list({ ownerId, offset: 0, limit: 2 });
    expect(page.total).toBe(3);
    expect(page.items).toHaveLength(2);
    expect((await collections.list({ offset: 3, limit: 10 })).items).toHaveLength(1);
    await collections.addMember(foreign.id, ownerId);
    expect((await collections.list({ memberId: ownerId, offset: 0, limit: 9 })).total).toBe(4);
    const byId = await collections.list({ ids: [foreign.id.toUpperCase(), newId()], offset: 0, limit: 9 });
    expect(byId.items.map(({ name }) => name)).toEqual(['foreign']);
  });

  it('has its owner as permanent member, and others who can be added and removed', async () => {
    const { collections } = await openTestStore();
    const { id } = await collections.ensure(usual);
    const guest = newId();
    expect(await collections.addMember(id, guest)).toBe(true);
    expect(await collections.addMember(id, guest)).toBe(false);
    expect(await collections.get(id)).toMatchObject({ userCount: 2 });
    const members = await collections.members(id, { offset: 0, limit: 9 });
    expect(members.items.map(({ userId }) => userId).sort()).toEqual([ownerId, guest].sort());
    expect(await collections.idsOfMember(guest)).toEqual([id]);
    expect(await collections.idsOfMember(ownerId)).toEqual([id]);
    await expect(collections.removeMember(id, ownerId)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await collections.removeMember(id, guest)).toBe(true);
    expect(await collections.removeMember(id, guest)).toBe(false);
    await expect(collections.addMember(newId(), guest)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('updates name and description, and keeps fields that are not given', async () => {
    const { collections } = await openTestStore();
    const { id } = await collections.ensure({ ...usual, description: 'first' });
    expect(await collections.update(id, { name: 'Second' })).toMatchObject({ name: 'Second', description: 'first' });
    expect(await collections.update(id, { description: null, graphSyncStatus: 'success' })).toMatchObject({
      name: 'Second',
      description: null,
      graphSyncStatus: 'success',
      graphClusterStatus: 'pending',
    });
    expect(await collections.update(newId(), { name: 'x' })).toBeUndefined();
  });

  it('adds and removes documents, effective for every filter at once', async () => {
    const store = await openTestStore();
    const { collections, corpus } = store;
    const search = store.chunks;
    const near = { vector: direction(0), measure: 'cosine_distance', limit: 9 } as const;
    const other = await collections.ensure({ id: newId(), ownerId, name: 'other' });
    const { id } = await ingest(store, newDocument('one'), newChunks(2));
    const inOther: Filter = { kind: 'overlap', field: 'collection_ids', values: [other.id] };
    const seen = async () => ({
      listed: (await corpus.list(inOther, { offset: 0, limit: 9 })).total,
      words: (await search.matching({ text: 'passage', filter: inOther, limit: 9 })).length,
      near: (await search.nearest({ ...near, filter: inOther })).length,
    });
    expect(await seen()).toEqual({ listed: 0, words: 0, near: 0 });
    await collections.update(other.id, { graphSyncStatus: 'success' });
    expect(await collections.addDocuments(other.id, [id, newId()])).toEqual([id]);
    expect(await collections.addDocuments(other.id, [id])).toEqual([]);
    expect(await seen()).toEqual({ listed: 1, words: 2, near: 2 });
    expect(await collections.get(other.id)).toMatchObject({ documentCount: 1, graphSyncStatus: 'outdated' });
    expect(await collections.removeDocuments(other.id, [id, newId()])).toEqual([id]);
    expect(await collections.removeDocuments(other.id, [id])).toEqual([]);
    expect(await seen()).toEqual({ listed: 0, words: 0, near: 0 });
    expect(await collections.addDocuments(other.id, [])).toEqual([]);
    expect(await collections.removeDocuments(newId(), [id])).toEqual([]);
    await expect(collections.addDocuments(newId(), [id])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is deleted without its documents, also pending ones', async () => {
    const store = await openTestStore();
    const { collections, corpus } = store;
    const other = await collections.ensure({ id: newId(), ownerId, name: 'other' });
    const document = newDocument('one', { collectionIds: [usual.id, other.id] });
    await ingest(store, document, newChunks(1));
    await corpus.begin(document, { replace: true });
    expect(await collections.remove(other.id)).toEqual({ documents: 1, users: 1 });
    expect(await collections.remove(other.id)).toBeUndefined();
    await corpus.stage(document.id, newChunks(1));
    const published = await corpus.publish(document.id, publication('text'));
    expect(published.collectionIds).toEqual([usual.id]);
  });
});
