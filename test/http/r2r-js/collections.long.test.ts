import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/documents/ids.ts';
import { type R2rUser, type RunningR2r, rowsOf, startR2r } from '../support/start-r2r.ts';

let server: RunningR2r;
let admin: R2rUser;
let ada: R2rUser;
let bob: R2rUser;

beforeAll(async () => {
  server = await startR2r();
  admin = server.admin;
  [ada, bob] = await Promise.all([server.newcomer('ada'), server.newcomer('bob')]);
});
afterAll(() => server.close());

const made = async ({ client }: R2rUser, name: string) => (await client.collections.create({ name })).results;
const written = async ({ client }: R2rUser, text: string) =>
  (await client.documents.create({ raw_text: text })).results.documentId;
const foundBy = async ({ client }: R2rUser, query: string) =>
  (await client.retrieval.search({ query })).results.chunkSearchResults.map(({ text }) => text);

describe('the collections client', () => {
  it('creates, retrieves, renames, describes and deletes', async () => {
    const { collections } = ada.client;
    const created = (await collections.create({ name: 'Birds', description: 'That fly' })).results;
    expect(created).toMatchObject({
      ownerId: ada.id,
      name: 'Birds',
      description: 'That fly',
      graphClusterStatus: 'pending',
      graphSyncStatus: 'pending',
      userCount: 1,
      documentCount: 0,
    });
    const { id } = created;
    expect((await collections.retrieve({ id })).results).toEqual(created);
    expect((await collections.retrieveByName({ name: 'Birds' })).results.id).toBe(id);
    const updated = await collections.update({ id, name: 'Fish', description: 'That swim' });
    expect(updated.results).toMatchObject({ name: 'Fish', description: 'That swim' });
    expect((await collections.delete({ id })).results).toMatchObject({ success: true });
    await expect(collections.retrieve({ id })).rejects.toThrow(/Status 404/);
  });

  it('lists collections by membership, by id, or by owner', async () => {
    const eve = await server.newcomer('eve');
    const own = await made(eve, 'own');
    const shared = await made(ada, 'shared with eve');
    await ada.client.collections.addUser({ id: shared.id, userId: eve.id });
    const { collections } = eve.client;
    const names = async (options = {}) => (await collections.list(options)).results.map(({ name }) => name).sort();
    expect(await names()).toEqual(['Default', 'own', 'shared with eve']);
    expect(await names({ ownerOnly: true })).toEqual(['Default', 'own']);
    expect(await names({ ids: [own.id, newId()] })).toEqual(['own']);
    expect(await collections.list({ limit: 1, offset: 1 })).toMatchObject({ totalEntries: 3, results: [{}] });
    expect((await admin.client.collections.list()).totalEntries).toBeGreaterThan(3);
    const byName = await collections.retrieveByName({ name: 'shared with eve', ownerId: ada.id });
    expect(byName.results.id).toBe(shared.id);
  });

  it('adds and removes documents, effective for every search at once', async () => {
    const { id } = await made(ada, 'reading room');
    const documentId = await written(ada, 'Ostriches can not fly but run.');
    await ada.client.collections.addUser({ id, userId: bob.id });
    expect(await foundBy(bob, 'ostriches')).toEqual([]);
    const { collections } = ada.client;
    expect((await collections.addDocument({ id, documentId })).results.message).toBeTypeOf('string');
    expect(await foundBy(bob, 'ostriches')).toEqual(['Ostriches can not fly but run.']);
    await expect(collections.addDocument({ id, documentId })).rejects.toThrow(/Status 409/);
    expect(await bob.client.collections.listDocuments({ id })).toMatchObject({
      totalEntries: 1,
      results: [{ id: documentId }],
    });
    expect((await admin.client.documents.listCollections({ id: documentId })).totalEntries).toBe(2);
    await expect(ada.client.documents.listCollections({ id: documentId })).rejects.toThrow(/Status 403/);
    expect((await collections.removeDocument({ id, documentId })).results).toMatchObject({ success: true });
    expect(await foundBy(bob, 'ostriches')).toEqual([]);
    await expect(collections.removeDocument({ id, documentId })).rejects.toThrow(/Status 404/);
  });

  it('adds and removes users', async () => {
    const { id } = await made(ada, 'club');
    const { collections } = ada.client;
    expect((await collections.addUser({ id, userId: bob.id })).results).toEqual({ success: true });
    await expect(collections.addUser({ id, userId: bob.id })).rejects.toThrow(/Status 400/);
    await expect(collections.addUser({ id, userId: newId() })).rejects.toThrow(/Status 404/);
    const members = await collections.listUsers({ id });
    expect(members.totalEntries).toBe(2);
    expect(members.results.map((user) => user.id).sort()).toEqual([ada.id, bob.id].sort());
    expect((await collections.removeUser({ id, userId: bob.id })).results).toEqual({ success: true });
    await expect(bob.client.collections.retrieve({ id })).rejects.toThrow(/Status 404/);
    await expect(collections.removeUser({ id, userId: ada.id })).rejects.toThrow(/Status 400/);
  });

  it('exports visible collections, with the requested columns and filters', async () => {
    const [dan, fay] = await Promise.all([server.newcomer('dan'), server.newcomer('fay')]);
    const { id } = await made(dan, 'quo"ted, 1');
    await made(fay, 'private to fay');
    const shared = await made(fay, 'shared with dan');
    await fay.client.collections.addUser({ id: shared.id, userId: dan.id });
    const { collections } = dan.client;
    const rows = await rowsOf(
      await collections.export({ columns: ['name', 'user_count', 'id'], filters: { id: { $eq: id } } }),
    );
    expect(rows).toEqual(['"name","user_count","id"', `"quo""ted, 1","1","${id}"`]);
    const bare = await collections.export({ includeHeader: false, filters: { owner_id: fay.id } });
    expect(await rowsOf(bare)).toEqual([expect.stringContaining('"shared with dan"')]);
    await expect(collections.export({ columns: ['secret'] })).rejects.toThrow(/Status 422/);
  });
});

describe('a collection', () => {
  it('is not found for others, readable for members, and writable for its owner', async () => {
    const { id } = await made(ada, 'private');
    const { collections } = bob.client;
    await expect(collections.retrieve({ id })).rejects.toThrow(/Status 404/);
    await expect(collections.update({ id, name: 'mine' })).rejects.toThrow(/Status 404/);
    await expect(collections.listUsers({ id })).rejects.toThrow(/Status 404/);
    await ada.client.collections.addUser({ id, userId: bob.id });
    expect((await collections.retrieve({ id })).results.name).toBe('private');
    await expect(collections.update({ id, name: 'mine' })).rejects.toThrow(/Status 403/);
    await expect(collections.delete({ id })).rejects.toThrow(/Status 403/);
    await expect(collections.addUser({ id, userId: admin.id })).rejects.toThrow(/Status 403/);
    expect((await admin.client.collections.update({ id, name: 'seen to' })).results.name).toBe('seen to');
    await collections.removeUser({ id, userId: bob.id });
    await expect(collections.retrieve({ id })).rejects.toThrow(/Status 404/);
  });

  it('refuses a document that the requester may not see', async () => {
    const secret = await written(ada, 'A diary nobody reads.');
    const { id } = await made(bob, 'bait');
    await expect(bob.client.collections.addDocument({ id, documentId: secret })).rejects.toThrow(/Status 404/);
    expect(await foundBy(bob, 'diary')).toEqual([]);
  });

  it('is deleted without its documents, and a user’s default one cannot be deleted', async () => {
    const { results } = await ada.client.collections.retrieveByName({ name: 'Default' });
    await expect(ada.client.collections.delete({ id: results.id })).rejects.toThrow(/Status 400/);
    const { id } = await made(ada, 'short-lived');
    const documentId = await written(ada, 'Outlives its collection.');
    await ada.client.collections.addDocument({ id, documentId });
    await ada.client.collections.delete({ id });
    const kept = (await ada.client.documents.retrieve({ id: documentId })).results;
    expect(kept.collectionIds).toEqual([results.id]);
  });

  it('is described from its content without a model', async () => {
    const { id } = await made(ada, 'described');
    const documentId = (
      await ada.client.documents.create({ raw_text: 'About owls.', metadata: { title: 'Night birds' } })
    ).results.documentId;
    await ada.client.collections.addDocument({ id, documentId });
    const { results } = await ada.client.collections.update({ id, generateDescription: true });
    expect(results.description).toBe('1 document: Night birds.');
    await expect(ada.client.collections.update({ id, description: 'x', generateDescription: true })).rejects.toThrow(
      /Status 400/,
    );
  });
});
