import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/documents/ids.ts';
import { type R2rUser, type RunningR2r, startR2r } from '../support/start-r2r.ts';

let server: RunningR2r;
let ada: R2rUser;
let bob: R2rUser;

beforeAll(async () => {
  server = await startR2r();
  [ada, bob] = await Promise.all([server.newcomer('ada'), server.newcomer('bob')]);
});
afterAll(() => server.close());

async function withChunks(chunks: string[], metadata: Record<string, unknown> = {}) {
  const { results } = await ada.client.documents.create({ chunks, metadata });
  const listed = await ada.client.documents.listChunks({ id: results.documentId });
  return { documentId: results.documentId, ids: listed.results.map(({ id }) => id) };
}
const found = async (query: string) =>
  (await ada.client.retrieval.search({ query, searchSettings: { useHybridSearch: true } })).results.chunkSearchResults;

describe('the chunks client', () => {
  it('retrieves, changes and deletes a chunk in every leg of a search', async () => {
    const { documentId, ids } = await withChunks(['Kingfishers dive.', 'Herons wait.']);
    const [id = '', other = ''] = ids;
    const { chunks } = ada.client;
    expect((await chunks.retrieve({ id })).results).toMatchObject({ id, documentId, text: 'Kingfishers dive.' });
    const changed = await chunks.update({ id, text: 'Cormorants dive.', metadata: { checked: true } });
    expect(changed.results).toMatchObject({ id, text: 'Cormorants dive.', metadata: { checked: true } });
    expect((await found('kingfishers')).map(({ text }) => text)).not.toContain('Kingfishers dive.');
    expect((await found('cormorants'))[0]).toMatchObject({ id, text: 'Cormorants dive.' });
    expect((await chunks.delete({ id })).results).toMatchObject({ success: true, chunks: 1, documents: 0 });
    await expect(chunks.retrieve({ id })).rejects.toThrow(/Status 404/);
    expect((await chunks.delete({ id: other })).results).toMatchObject({ success: true, documents: 1 });
    await expect(ada.client.documents.retrieve({ id: documentId })).rejects.toThrow(/Status 404/);
  });

  it('lists own chunks, in pages, with vectors, and tolerates the client’s malformed filter', async () => {
    const { ids } = await withChunks(['one', 'two', 'three']);
    const { chunks } = ada.client;
    const all = await chunks.list({ limit: 1000, includeVectors: true, metadataFilters: { a: 1 } });
    expect(all.results.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(all.results[0]?.vector).toBeInstanceOf(Array);
    expect(await chunks.list({ offset: 1, limit: 1 })).toMatchObject({ totalEntries: all.totalEntries, results: [{}] });
    expect((await bob.client.chunks.list()).totalEntries).toBe(0);
    expect((await server.admin.client.chunks.list()).totalEntries).toBeGreaterThanOrEqual(all.totalEntries);
  });

  it('creates chunks, those of one document together, each with its metadata', async () => {
    const documentId = newId();
    const { results } = (await ada.client.chunks.create({
      chunks: [
        { id: newId(), documentId, collectionIds: [], metadata: { shade: 'red' }, text: 'Robins.' },
        { id: newId(), documentId, collectionIds: [], metadata: {}, text: 'Wrens.' },
        { id: newId(), collectionIds: [], metadata: {}, text: 'Apart.' },
      ] as never,
      runWithOrchestration: false,
    })) as unknown as { results: { documentId: string }[] };
    expect(results.map((each) => each.documentId)).toEqual([documentId, expect.any(String)]);
    const listed = await ada.client.documents.listChunks({ id: documentId });
    expect(listed.results).toMatchObject([{ text: 'Robins.', metadata: { shade: 'red' } }, { text: 'Wrens.' }]);
  });
});

describe('a chunk', () => {
  it('is forbidden to others, and read-only for members', async () => {
    const { documentId, ids } = await withChunks(['A private passage.']);
    const [id = ''] = ids;
    const { chunks } = bob.client;
    await expect(chunks.retrieve({ id })).rejects.toThrow(/Status 403/);
    const { results } = await ada.client.collections.create({ name: 'with bob' });
    await ada.client.collections.addUser({ id: results.id, userId: bob.id });
    await ada.client.collections.addDocument({ id: results.id, documentId });
    expect((await chunks.retrieve({ id })).results.text).toBe('A private passage.');
    await expect(chunks.update({ id, text: 'Mine now.' })).rejects.toThrow(/Status 403/);
    await expect(chunks.delete({ id })).rejects.toThrow(/Status 403/);
  });

  it('cannot be made empty by a change', async () => {
    const [id = ''] = (await withChunks(['Words.'])).ids;
    await expect(ada.client.chunks.update({ id, text: '  ' })).rejects.toThrow(/Status 422.*delete it instead/);
    expect((await ada.client.chunks.retrieve({ id })).results.text).toBe('Words.');
  });
});

describe('POST /v3/chunks/search and GET /v3/chunks', () => {
  const get = (path: string) => fetch(`${server.url}/v3${path}`, { headers: ada.headers });

  it('finds chunks alone, as a list', async () => {
    await withChunks(['Zebras stripe the plain.']);
    const asked = { query: 'zebras', search_settings: { limit: 1 } };
    const response = await server.post('/v3/chunks/search', asked, { headers: ada.headers });
    expect(await response.json()).toMatchObject({
      results: [{ text: 'Zebras stripe the plain.', metadata: { associated_query: 'zebras' } }],
      total_entries: 1,
    });
  });

  it('lists by a filter on metadata, written as JSON', async () => {
    await withChunks(['Tapirs swim.'], { habitat: 'river' });
    const filter = encodeURIComponent(JSON.stringify({ habitat: { $eq: 'river' } }));
    expect(await (await get(`/chunks?metadata_filter=${filter}`)).json()).toMatchObject({
      total_entries: 1,
      results: [{ text: 'Tapirs swim.', vector: null }],
    });
  });
});
