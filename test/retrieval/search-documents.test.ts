import { expect, it } from 'vitest';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { ServiceError } from '../../src/errors.ts';
import { embedDescriptions } from '../../src/retrieval/embed-descriptions.ts';
import { withDescriptions } from '../../src/retrieval/search-documents.ts';
import type { Corpus } from '../../src/store/corpus.ts';
import { describeEngines } from '../support/engines.ts';
import { newChunk, newDocument, publication, type TestStore, testSpace } from '../support/store.ts';

const always = new AbortController().signal;
const all = { kind: 'all' } as const;

/** An embedder that knows three subjects, each with its own direction. */
function subjects(space = testSpace): EmbeddingModel & { readonly seen: string[] } {
  const seen: string[] = [];
  const words = [/boat|ship|ferry|vessel/i, /dog|hound|pet/i, /bread|loaf|bak/i];
  return {
    name: space.embedder,
    isLexical: false,
    seen,
    space: async () => space,
    async embed(texts) {
      seen.push(...texts);
      return texts.map((text) => {
        const place = words.findIndex((word) => word.test(text));
        return Float32Array.from({ length: 4 }, (_, at) => (at === (place === -1 ? 3 : place) ? 1 : 0));
      });
    },
  };
}

async function add(
  { corpus }: TestStore,
  title: string,
  summary: string,
  options: { id?: string; replace?: boolean } = {},
) {
  const document = newDocument(title, options.id === undefined ? {} : { id: options.id });
  await corpus.begin(document, { replace: options.replace ?? false });
  await corpus.stage(document.id, [newChunk(0, `${title} ${summary}`)]);
  await corpus.publish(document.id, { ...publication(`${title} ${summary}`), summary });
  return document.id;
}

const titles = async (corpus: Pick<Corpus, 'searchDocuments'>, text: string, more = {}) =>
  (await corpus.searchDocuments({ text, filter: all, limit: 9, offset: 0, ...more })).items.map(({ title }) => title);

describeEngines('Documents', ({ openTestStore }) => {
  it('are found by meaning, and by the words of their descriptions', async () => {
    const store = await openTestStore();
    const embedder = subjects();
    await add(store, 'Timetable', 'When the ferry leaves.');
    await add(store, 'Kennel', 'How hounds are kept.');
    await add(store, 'Oven', 'Loaves and rolls.');
    const corpus = withDescriptions(store.corpus, { descriptions: store.descriptionSearch, embedder });
    expect(await titles(corpus, 'ships')).toEqual([]);
    expect(await embedDescriptions(store.descriptions, embedder, always)).toBe(3);
    expect((await titles(corpus, 'ships'))[0]).toBe('Timetable');
    expect((await titles(corpus, 'oven pets'))[0]).toMatch(/Oven|Kennel/);
    expect(await titles(corpus, 'ships', { kind: 'full_text' })).toEqual([]);
    const { items, total } = await corpus.searchDocuments({ text: 'ships', filter: all, limit: 1, offset: 0 });
    expect(items[0]).toMatchObject({ searchedBy: 'hybrid' });
    expect(total).toBe(3);
    const oven = { kind: 'compare', field: 'title', op: 'eq', value: 'Oven' } as const;
    expect(await titles(corpus, 'ships', { filter: oven })).toEqual(['Oven']);
  });

  it('are found by a new summary at once', async () => {
    const store = await openTestStore();
    const embedder = subjects();
    const id = await add(store, 'Log', 'About a vessel.');
    await embedDescriptions(store.descriptions, embedder, always);
    expect((await store.descriptions.vectorsOf([id])).get(id)).toEqual(Float32Array.of(1, 0, 0, 0));
    await add(store, 'Log', 'About a dog.', { id, replace: true });
    expect((await store.descriptions.vectorsOf([id])).size).toBe(0);
    await embedDescriptions(store.descriptions, embedder, always);
    expect((await store.descriptions.vectorsOf([id])).get(id)).toEqual(Float32Array.of(0, 1, 0, 0));
    // The previous version keeps its vector and costs nothing.
    expect(embedder.seen).toEqual(['Log\nAbout a vessel.', 'Log\nAbout a dog.']);
  });

  it('are found by their description as of a time', async () => {
    const store = await openTestStore();
    const embedder = subjects();
    const id = await add(store, 'Log', 'About a vessel.');
    await embedDescriptions(store.descriptions, embedder, always);
    const then = (await store.corpus.get(id))?.publishedAt ?? '';
    await new Promise((resolve) => setTimeout(resolve, 5));
    await add(store, 'Log', 'About a dog.', { id, replace: true });
    await add(store, 'Other', 'About bread.');
    await embedDescriptions(store.descriptions, embedder, always);
    const corpus = withDescriptions(store.corpus, { descriptions: store.descriptionSearch, embedder });
    const query = { text: 'ships', filter: all, limit: 9, offset: 0, kind: 'semantic' } as const;
    expect((await corpus.at(then).searchDocuments(query)).items).toMatchObject([
      { id, summary: 'About a vessel.', score: 1 },
    ]);
    expect((await corpus.searchDocuments({ ...query, text: 'pets' })).items[0]).toMatchObject({ id, score: 1 });
    expect(await store.corpus.remove(all)).toMatchObject({ documents: 2 });
    expect((await corpus.at(then).searchDocuments(query)).items).toEqual([]);
  });

  it('keep their description vectors when the corpus is switched to another embedder', async () => {
    const store = await openTestStore();
    const before = subjects();
    const id = await add(store, 'Log', 'About a vessel.');
    await add(store, 'Log', 'About a dog.', { id, replace: true });
    await embedDescriptions(store.descriptions, before, always);
    const after = subjects({ ...testSpace, version: '2' });
    for await (const _ of store.spaces.reindex(after, always));
    expect((await store.descriptions.vectorsOf([id])).size).toBe(1);
    expect(await store.descriptions.unembedded(await after.space(), 9)).toEqual([]);
    // Vectors of the previous space are kept for switching back.
    expect(await store.descriptions.unembedded(testSpace, 9)).toEqual([]);
    const corpus = withDescriptions(store.corpus, { descriptions: store.descriptionSearch, embedder: after });
    expect(await titles(corpus, 'pets')).toEqual(['Log']);
  });

  it('are found by full text alone while the embedder is down or lexical', async () => {
    const store = await openTestStore();
    await add(store, 'Kennel', 'How hounds are kept.');
    const away: EmbeddingModel = {
      ...subjects(),
      embed: async () => {
        throw new ServiceError('provider_failed', 'Away.');
      },
    };
    const corpus = withDescriptions(store.corpus, { descriptions: store.descriptionSearch, embedder: away });
    expect(await titles(corpus, 'hounds')).toEqual(['Kennel']);
    await expect(titles(corpus, 'hounds', { kind: 'semantic' })).rejects.toMatchObject({ code: 'provider_failed' });
    const lexical = { ...away, isLexical: true };
    expect(await embedDescriptions(store.descriptions, lexical, always)).toBe(0);
    const plain = withDescriptions(store.corpus, { descriptions: store.descriptionSearch, embedder: lexical });
    for (const kind of [undefined, 'semantic', 'hybrid'] as const) {
      const query = { text: 'hounds', filter: all, limit: 9, offset: 0, ...(kind && { kind }) };
      expect((await plain.searchDocuments(query)).items).toMatchObject([{ title: 'Kennel', searchedBy: 'full_text' }]);
    }
  });
});
