import { describe, expect, it } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import { newId } from '../../../../src/documents/ids.ts';
import { describeEngines } from '../../../support/engines.ts';
import { direction, newChunk, newDocument, publication, type TestStore, testSpace } from '../../../support/store.ts';

describeEngines('Edits of chunks', ({ openTestStore }) => {
  const TEXT = 'Whales sing.\nOwls hunt.\nBees dance.';
  const newChunks = [
    newChunk(0, 'Whales sing.', { start: 0, end: 12, page: 1 }),
    newChunk(1, 'Owls hunt.', { start: 13, end: 23, page: 2 }),
    newChunk(2, 'Bees dance.', { start: 24, end: 35, page: 2 }),
  ];
  const pages = [
    { number: 1, start: 0, end: 13 },
    { number: 2, start: 13, end: 35 },
  ];
  const headings = [
    { start: 0, path: ['Animals', 'Sea'] },
    { start: 13, path: ['Animals', 'Air'] },
    { start: 24, path: ['Animals', 'Air', 'Bees'] },
  ];
  const document = newDocument('animals');
  const firstPage = { offset: 0, limit: 9 };

  async function withAnimals() {
    const store = await openTestStore();
    await store.corpus.begin(document);
    await store.corpus.stage(document.id, newChunks);
    await store.corpus.publish(document.id, publication(TEXT, { pages, headings }));
    const chunks = (await store.corpus.chunksOf(document.id, firstPage)).items;
    return { store, ids: chunks.map(({ id }) => id) };
  }

  function legs({ chunks: search }: TestStore) {
    const texts = (chunks: readonly { readonly text: string }[]) => chunks.map(({ text }) => text);
    return {
      words: async (text: string) => texts(await search.matching({ text, filter: everything, limit: 9 })),
      nearest: async (number: number) =>
        texts(
          await search.nearest({
            vector: direction(number),
            measure: 'cosine_distance',
            filter: everything,
            limit: 1,
          }),
        ),
    };
  }

  const words = (text: string, number: number) => ({ text, vector: direction(number), embeddedIn: testSpace });

  describe('an edited chunk', () => {
    it('is found by its new words and vector, and by its old ones no more', async () => {
      const { store, ids } = await withAnimals();
      const [, owls = ''] = ids;
      await store.maintenance.audit();
      await store.corpus.editChunk(owls, { words: words('Bats hunt by ear.', 7) });
      const { words: find, nearest } = legs(store);
      expect(await find('owls')).toEqual([]);
      expect(await find('bats')).toEqual(['Bats hunt by ear.']);
      expect(await nearest(7)).toEqual(['Bats hunt by ear.']);
      expect(await nearest(1)).not.toEqual(['Owls hunt.']);
      await store.maintenance.audit();
      expect(await nearest(7)).toEqual(['Bats hunt by ear.']);
      expect((await store.corpus.stats()).pendingIndexWrites).toBe(0);
    });

    it('keeps its identifier and position, and its text equals the document’s at its offsets', async () => {
      const { store, ids } = await withAnimals();
      const [, owls = ''] = ids;
      const edited = await store.corpus.editChunk(owls, { words: words('Bats hunt by ear.', 7) });
      expect(edited).toMatchObject({ id: owls, order: 1, start: 13, end: 30, page: 2 });
      const whole = await store.corpus.textOf(document.id);
      expect(whole?.text).toBe('Whales sing.\nBats hunt by ear.\nBees dance.');
      expect(whole?.pages).toEqual([
        { number: 1, start: 0, end: 13 },
        { number: 2, start: 13, end: 42 },
      ]);
      expect(whole?.headings).toEqual([headings[0], headings[1], { start: 31, path: ['Animals', 'Air', 'Bees'] }]);
      for (const chunk of (await store.corpus.chunksOf(document.id, firstPage)).items) {
        expect(whole?.text.slice(chunk.start, chunk.end)).toBe(chunk.text);
      }
      expect(await store.corpus.get(document.id)).toMatchObject({ textLength: 42, extractionStatus: 'pending' });
    });

    it('accepts metadata of its own, effective for filters, without changing its text', async () => {
      const { store, ids } = await withAnimals();
      const [whales = ''] = ids;
      await store.corpus.editChunk(whales, { metadata: { mood: 'sad' } });
      const edited = await store.corpus.editChunk(whales, { metadata: { tone: 'low' } });
      expect(edited.metadata).toMatchObject({ mood: 'sad', tone: 'low', title: 'animals' });
      const sad: Filter = { kind: 'compare', field: 'metadata.mood', op: 'eq', value: 'sad' };
      const found = await store.corpus.listChunks(sad, firstPage);
      expect(found.items.map(({ id }) => id)).toEqual([whales]);
      expect(found.total).toBe(1);
    });

    it('is refused when it does not exist, or when its vector is of another space', async () => {
      const { store, ids } = await withAnimals();
      const [whales = ''] = ids;
      await expect(store.corpus.editChunk(newId(), { metadata: {} })).rejects.toMatchObject({ code: 'not_found' });
      const stray = { ...words('Other.', 1), embeddedIn: { ...testSpace, embedder: 'another' } };
      await expect(store.corpus.editChunk(whales, { words: stray })).rejects.toMatchObject({
        code: 'embedding_mismatch',
      });
      expect((await store.corpus.textOf(document.id))?.text).toBe(TEXT);
    });
  });

  describe('a chunk of a document that is ingested again', () => {
    it('keeps its text until then, because the ingestion may reuse it', async () => {
      const { store, ids } = await withAnimals();
      const [whales = '', owls = ''] = ids;
      await store.corpus.begin(document, { replace: true });
      const edit = store.corpus.editChunk(owls, { words: words('Bats hunt.', 7) });
      await expect(edit).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.corpus.removeChunk(whales)).rejects.toMatchObject({ code: 'conflict' });
      await store.corpus.editChunk(owls, { metadata: { seen: true } });
      await store.corpus.fail(document.id, { reason: 'given up', remedy: 'file' });
      expect(await store.corpus.editChunk(owls, { words: words('Bats hunt.', 7) })).toMatchObject({
        text: 'Bats hunt.',
        metadata: { seen: true },
      });
    });
  });

  describe('a removed chunk', () => {
    it('disappears from every leg with a receipt, and the last one deletes the document', async () => {
      const { store, ids } = await withAnimals();
      const [whales = '', owls = '', bees = ''] = ids;
      expect(await store.corpus.removeChunk(whales)).toEqual({
        documents: 0,
        chunks: 1,
        vectors: 1,
        fullTextEntries: 1,
        files: 0,
        graphRows: 0,
      });
      expect(await legs(store).words('whales')).toEqual([]);
      expect(await store.corpus.get(document.id)).toMatchObject({ chunkCount: 2 });
      await store.corpus.removeChunk(owls);
      expect(await store.corpus.removeChunk(bees)).toMatchObject({ documents: 1, chunks: 1, files: 1 });
      expect(await store.corpus.get(document.id)).toBeUndefined();
      await expect(store.corpus.removeChunk(bees)).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  describe('a title in the metadata', () => {
    it('renames the document, for filters and full text too', async () => {
      const { store } = await withAnimals();
      const changed = await store.corpus.setMetadata(document.id, { title: 'Zoology' }, 'merge');
      expect(changed.title).toBe('Zoology');
      const titled: Filter = { kind: 'compare', field: 'title', op: 'eq', value: 'Zoology' };
      expect((await store.corpus.list(titled, firstPage)).total).toBe(1);
      expect((await store.corpus.listChunks(titled, firstPage)).total).toBe(3);
      expect(await legs(store).words('zoology')).toHaveLength(3);
      expect(await legs(store).words('animals')).toEqual([]);
      const found = await store.corpus.searchDocuments({ text: 'zoology', filter: everything, ...firstPage });
      expect(found.items.map(({ title }) => title)).toEqual(['Zoology']);
    });

    it('is kept when metadata that name none replace it', async () => {
      const { store } = await withAnimals();
      await store.corpus.setMetadata(document.id, { title: 'Zoology' }, 'merge');
      const replaced = await store.corpus.setMetadata(document.id, { year: 1 }, 'replace');
      expect(replaced).toMatchObject({ title: 'Zoology', metadata: { year: 1 } });
    });
  });
});
