import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../src/documents/document.ts';
import type { DocumentSort } from '../../src/documents/document-order.ts';
import { everything, type Filter } from '../../src/documents/filter.ts';
import type { SqlStore } from '../../src/store/sql/open-store.ts';
import type { VectorIndex } from '../../src/store/vector-index.ts';
import { direction, ingest, newChunk, newChunks, newDocument, publication } from '../support/store.ts';

const all = { offset: 0, limit: 100 };

/** Contract test for every Corpus. `open` returns an empty one, closed with the test. */
export function corpusContract(name: string, open: () => Promise<SqlStore & { readonly index: VectorIndex }>): void {
  describe(`${name} keeps the Corpus contract`, () => {
    it('registers a document as pending, with its bytes, before any work on it', async () => {
      const { corpus } = await open();
      const document = newDocument('one', { metadata: { year: 1866 }, source: 'https://example.com/one' });
      const begun = await corpus.begin({ ...document, settings: { chunkSize: 100 } });
      expect(begun).toMatchObject({
        id: document.id,
        title: 'one',
        ingestionStatus: 'pending',
        ingestionAttempt: 1,
        metadata: { year: 1866 },
        collectionIds: document.collectionIds,
        sizeInBytes: document.bytes.byteLength,
        chunkCount: 0,
        failure: null,
        failureRemedy: null,
        version: 'v0',
      });
      expect(begun.contentHash).toMatch(/^[0-9a-f]{64}$/);
      expect(Buffer.from((await corpus.bytesOf(document.id)) ?? [])).toEqual(document.bytes);
      expect(await corpus.settingsOf(document.id)).toEqual({ chunkSize: 100 });
      expect(await corpus.begun(document.id)).toEqual({ document: begun, settings: { chunkSize: 100 } });
      expect((await corpus.unfinished()).map(({ id }) => id)).toEqual([document.id]);
    });

    it('lists documents by title, size, date or state, now and in the past', async () => {
      const store = await open();
      const titles = ['beta', 'Äpfel', 'Alpha', 'apfelsaft', 'zeta', 'Öl'];
      for (const [at, title] of titles.entries()) {
        await ingest(
          store,
          newDocument(`d${at}`, { title, bytes: new Uint8Array(at === 4 ? 9 : 20 - at) }),
          newChunks(1),
        );
      }
      await store.corpus.begin(newDocument('pending'));
      await store.corpus.begin(newDocument('failed'));
      await store.corpus.fail(newDocument('failed').id, { reason: 'No text.', remedy: 'file' });
      const listed = async (by: DocumentSort, direction: 'asc' | 'desc', filter: Filter = everything) =>
        (await store.corpus.list(filter, { ...all, order: { by, direction } })).items.map(({ title }) => title);
      const ready: Filter = { kind: 'compare', field: 'ingestion_status', op: 'eq', value: 'success' };
      const byTitle = ['Alpha', 'Äpfel', 'apfelsaft', 'beta', 'Öl', 'zeta'];
      expect(await listed('title', 'asc', ready)).toEqual(byTitle);
      expect(await listed('title', 'desc', ready)).toEqual(byTitle.toReversed());
      expect(await listed('size_in_bytes', 'asc', ready)).toEqual([
        'zeta',
        'Öl',
        'apfelsaft',
        'Alpha',
        'Äpfel',
        'beta',
      ]);
      expect((await listed('created_at', 'asc')).slice(0, 2)).toEqual(['beta', 'Äpfel']);
      // Equal ones are in the order in which they were added.
      expect(await listed('ingestion_status', 'asc')).toEqual(['failed', 'pending', ...titles]);
      const past = store.corpus.at(new Date(Date.now() + 1_000).toISOString());
      const then = await past.list(ready, { ...all, order: { by: 'title', direction: 'asc' } });
      expect(then.items.map(({ title }) => title)).toEqual(byTitle);
    });

    it('counts what filters can choose from, over all visible documents', async () => {
      const store = await open();
      const add = (name: string, type: string, metadata: Record<string, unknown>) =>
        ingest(store, newDocument(name, { type, metadata: metadata as Metadata }), newChunks(1));
      await add('one', 'pdf', { year: 2024, path: 'a', title: 'Same', isDraft: true, tags: ['x', 'y', 'x'] });
      await add('two', 'pdf', { year: 2023, path: 'b', title: 'Same', isDraft: false, tags: ['x'], nested: { a: 1 } });
      await add('three', 'md', { year: 2024, path: 'c', isDraft: 1, long: 'w'.repeat(81), none: null, empty: '' });
      await store.corpus.begin(newDocument('pending', { metadata: { year: 2024 } }));
      for (let number = 0; number < 13; number++) await add(`n${number}`, 'txt', { number, half: number % 2 });
      const facets = await store.corpus.facets(everything);
      expect(facets.documents).toBe(16);
      expect(facets.types).toEqual([
        { value: 'txt', count: 13 },
        { value: 'pdf', count: 2 },
        { value: 'md', count: 1 },
      ]);
      expect(facets.collections.map(({ count }) => count)).toEqual([16]);
      // "path" and "number" describe single documents; a title is no choice; 1 is not true.
      expect(facets.metadata).toEqual([
        {
          key: 'half',
          values: [
            { value: 0, count: 7 },
            { value: 1, count: 6 },
          ],
        },
        {
          key: 'tags',
          values: [
            { value: 'x', count: 2 },
            { value: 'y', count: 1 },
          ],
        },
        {
          key: 'year',
          values: [
            { value: 2024, count: 2 },
            { value: 2023, count: 1 },
          ],
        },
      ]);
      const pdfs = await store.corpus.facets({ kind: 'compare', field: 'document_type', op: 'eq', value: 'pdf' });
      expect(pdfs).toMatchObject({ documents: 2, metadata: [{ key: 'tags' }] });
      expect(await store.corpus.facets({ kind: 'none' })).toEqual({
        documents: 0,
        types: [],
        collections: [],
        metadata: [],
      });
    });

    it('shows no chunk before publication, and all of them after', async () => {
      const { corpus, index, spaces } = await open();
      const document = newDocument('one');
      await corpus.begin(document);
      await corpus.stage(document.id, newChunks(3));
      expect(await corpus.chunksOf(document.id, all)).toEqual({ items: [], total: 0 });
      expect((await corpus.stats()).chunks).toBe(0);

      const pages = [{ number: 1, start: 0, end: 4 }];
      const published = await corpus.publish(document.id, publication('text', { pages, summary: 'About it.' }));
      expect(published).toMatchObject({
        ingestionStatus: 'success',
        chunkCount: 3,
        textLength: 4,
        summary: 'About it.',
      });
      const chunks = await corpus.chunksOf(document.id, all);
      expect(chunks.total).toBe(3);
      expect(chunks.items.map((chunk) => chunk.text)).toEqual(newChunks(3).map((chunk) => chunk.text));
      expect(await corpus.textOf(document.id)).toEqual({ text: 'text', pages });
      expect(await corpus.unfinished()).toEqual([]);
      const space = await spaces.current();
      expect(await (await index.open(space?.collection ?? '', 4)).count()).toBe(3);
    });

    it('merges inherited metadata of a chunk with its own', async () => {
      const store = await open();
      const document = newDocument('one', { metadata: { year: 1866, title: 'hidden' } });
      const chunk = newChunk(0, 'text', { page: 3, headingPath: ['Part', 'Chapter'], metadata: { mood: 'grim' } });
      await ingest(store, document, [chunk]);
      const [found] = (await store.corpus.chunksOf(document.id, all)).items;
      expect(found).toMatchObject({
        documentId: document.id,
        ownerId: document.ownerId,
        collectionIds: document.collectionIds,
        page: 3,
        headingPath: ['Part', 'Chapter'],
        start: 0,
        end: 4,
      });
      expect(found?.metadata).toEqual({
        year: 1866,
        title: 'one',
        document_type: 'txt',
        version: 'v0',
        chunk_order: 0,
        page_number: 3,
        mood: 'grim',
      });
    });

    it('stores metadata found by the reader at publication', async () => {
      const { corpus } = await open();
      const document = newDocument('one', { metadata: { kept: 1, changed: 1 } });
      await corpus.begin(document);
      const metadata = { changed: 2, added: 3 };
      const published = await corpus.publish(document.id, publication('', { title: 'Better', type: 'md', metadata }));
      expect(published).toMatchObject({ title: 'Better', type: 'md', metadata: { kept: 1, changed: 2, added: 3 } });
    });

    it('refuses an id that exists or is being ingested', async () => {
      const store = await open();
      const document = newDocument('one');
      await store.corpus.begin(document);
      await expect(store.corpus.begin(document)).rejects.toMatchObject({ code: 'conflict' });
      await store.corpus.publish(document.id, publication(''));
      await expect(store.corpus.begin(document)).rejects.toMatchObject({ code: 'conflict' });
      const foreign = { ...document, ownerId: 'b0f5b3a5-43a1-5e0e-8c55-6a1a3c1fb0aa' };
      await expect(store.corpus.begin(foreign, { replace: true })).rejects.toMatchObject({ code: 'conflict' });
    });

    it('lets a failed document be submitted again, and shows its error until then', async () => {
      const { corpus } = await open();
      const document = newDocument('one');
      await corpus.begin(document);
      await corpus.stage(document.id, newChunks(2));
      await corpus.fail(document.id, { reason: 'The file is damaged.', remedy: 'file' });
      expect(await corpus.get(document.id)).toMatchObject({
        ingestionStatus: 'failed',
        failure: 'The file is damaged.',
        failureRemedy: 'file',
      });
      expect(await corpus.unfinished()).toEqual([]);
      const again = await corpus.begin({ ...document, title: 'mended' });
      expect(again).toMatchObject({
        ingestionStatus: 'pending',
        failure: null,
        failureRemedy: null,
        ingestionAttempt: 2,
        title: 'mended',
      });
      await corpus.stage(document.id, newChunks(1));
      expect(await corpus.publish(document.id, publication(''))).toMatchObject({ chunkCount: 1 });
    });

    it('keeps old chunks, title and collections of a replaced document until the new ones are published', async () => {
      const store = await open();
      const { corpus } = store;
      const old = newDocument('one', { metadata: { edition: 1 } });
      await ingest(store, old, newChunks(3, 'old words'));
      const next = { ...old, title: 'second', metadata: { edition: 2 }, bytes: Buffer.from('new'), collectionIds: [] };
      await corpus.begin(next, { replace: true });
      await corpus.setStatus(old.id, 'parsing');
      await corpus.stage(old.id, newChunks(2, 'new words'));

      const before = await corpus.chunksOf(old.id, all);
      expect(before.items.map(({ text }) => text)).toEqual(['old words', 'old words', 'old words']);
      expect(before.items[0]).toMatchObject({ metadata: { edition: 1, title: 'one' } });
      expect(await corpus.get(old.id)).toMatchObject({ title: 'second', ingestionStatus: 'parsing' });
      expect(Buffer.from((await corpus.bytesOf(old.id)) ?? []).toString()).toBe('new');

      await corpus.publish(old.id, publication('new'));
      const after = await corpus.chunksOf(old.id, all);
      expect(after.items.map(({ text }) => text)).toEqual(['new words', 'new words']);
      expect(after.items[0]).toMatchObject({ metadata: { edition: 2, title: 'second' }, collectionIds: [] });
      expect(await corpus.textOf(old.id)).toEqual({ text: 'new', pages: [] });
    });

    it('keeps the published version when a replacement fails', async () => {
      const store = await open();
      const document = newDocument('one');
      await ingest(store, document, newChunks(3, 'old words'));
      await store.corpus.begin({ ...document, bytes: Buffer.from('broken') }, { replace: true });
      await store.corpus.stage(document.id, newChunks(1, 'new words'));
      await store.corpus.fail(document.id, { reason: 'Broken.', remedy: 'file' });
      expect((await store.corpus.chunksOf(document.id, all)).total).toBe(3);
      expect(await store.corpus.textOf(document.id)).toMatchObject({ text: 'old words\nold words\nold words' });
    });

    it('sets a status with the chunks it belongs to, and neither for an attempt that is over', async () => {
      const { corpus } = await open();
      const document = newDocument('one');
      const statusOf = async () => (await corpus.get(document.id))?.ingestionStatus;
      await corpus.begin(document);
      expect(
        await corpus.keep(document.id, { title: 'one', chunks: newChunks(3) }, { attempt: 1, status: 'embedding' }),
      ).toEqual(new Set());
      expect(await statusOf()).toBe('embedding');
      await expect(corpus.stage(document.id, newChunks(3), { attempt: 7, status: 'storing' })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await statusOf()).toBe('embedding');
      await corpus.stage(document.id, newChunks(3), { attempt: 1, status: 'storing' });
      expect(await statusOf()).toBe('storing');
      expect(await corpus.publish(document.id, publication(''))).toMatchObject({ chunkCount: 3 });
    });

    it('drops staged chunks when reading restarts', async () => {
      const { corpus } = await open();
      const document = newDocument('one');
      await corpus.begin(document);
      await corpus.stage(document.id, newChunks(5));
      await corpus.setStatus(document.id, 'parsing');
      await corpus.stage(document.id, newChunks(2));
      expect(await corpus.publish(document.id, publication(''))).toMatchObject({ chunkCount: 2 });
    });

    it('refuses to stage without an ingestion, and for a document that is not there', async () => {
      const store = await open();
      await ingest(store, newDocument('one'), newChunks(1));
      await expect(store.corpus.stage(newDocument('one').id, newChunks(1))).rejects.toMatchObject({ code: 'conflict' });
      await expect(store.corpus.stage(newDocument('two').id, newChunks(1))).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(store.corpus.publish(newDocument('two').id, publication(''))).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(store.corpus.setStatus(newDocument('two').id, 'parsing')).rejects.toMatchObject({
        code: 'not_found',
      });
    });

    it('refuses vectors of another embedder', async () => {
      const { corpus } = await open();
      const document = newDocument('one');
      await corpus.begin(document);
      const long = newChunk(0, 'text', { vector: new Float32Array(8) });
      await expect(corpus.stage(document.id, [long])).rejects.toMatchObject({
        code: 'embedding_mismatch',
        message: expect.stringContaining('citewell reindex'),
      });
      const other = { embedder: 'test/other', version: '1', dimensions: 4 };
      await expect(corpus.stage(document.id, newChunks(1), { embeddedIn: other })).rejects.toMatchObject({
        code: 'embedding_mismatch',
        message: expect.stringMatching(/test\/other.*test\/angles/),
      });
    });

    it('lists the newest first, filtered and in pages, with the count before paging', async () => {
      const store = await open();
      for (const [place, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        await ingest(store, newDocument(name, { metadata: { place } }), newChunks(1));
      }
      const { corpus } = store;
      const titles = async (filter: Parameters<typeof corpus.list>[0], page = all) => {
        const found = await corpus.list(filter, page);
        return [found.items.map(({ title }) => title).join(''), found.total];
      };
      expect(await titles(everything)).toEqual(['edcba', 5]);
      expect(await titles(everything, { offset: 1, limit: 2 })).toEqual(['dc', 5]);
      expect(await titles({ kind: 'compare', field: 'metadata.place', op: 'gte', value: 3 })).toEqual(['ed', 2]);
      expect(await titles({ kind: 'none' })).toEqual(['', 0]);
    });

    it('finds a published document by its content hash, for its owner', async () => {
      const store = await open();
      const document = newDocument('one');
      const begun = await store.corpus.begin(document);
      expect(await store.corpus.findByContent(document.ownerId, begun.contentHash)).toBeUndefined();
      await store.corpus.publish(document.id, publication(''));
      expect(await store.corpus.findByContent(document.ownerId, begun.contentHash)).toMatchObject({ id: document.id });
      expect(await store.corpus.findByContent('someone', begun.contentHash)).toBeUndefined();
    });

    it('reads chunks by their identifiers, in that order, with the pages they span, and none that is gone', async () => {
      const store = await open();
      const [paged, plain, removed] = [newDocument('paged'), newDocument('plain'), newDocument('removed')];
      await store.corpus.begin(paged);
      await store.corpus.stage(paged.id, [newChunk(0, 'page one page two', { page: 1 })]);
      const pages = [
        { number: 1, start: 0, end: 8 },
        { number: 2, start: 9, end: 17 },
      ];
      await store.corpus.publish(paged.id, publication('page one page two', { pages }));
      await ingest(store, plain, newChunks(2));
      await ingest(store, removed, newChunks(1));
      const idsOf = async ({ id }: { readonly id: string }) =>
        (await store.corpus.chunksOf(id, all)).items.map((chunk) => chunk.id);
      const ids = [...(await idsOf(plain)).reverse(), ...(await idsOf(removed)), 'unknown', ...(await idsOf(paged))];
      await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: removed.id });
      const found = await store.corpus.chunksById(ids);
      expect(found.map(({ documentId, order }) => [documentId, order])).toEqual([
        [plain.id, 1],
        [plain.id, 0],
        [paged.id, 0],
      ]);
      expect(found.map(({ places }) => places?.map(({ page }) => page))).toEqual([undefined, undefined, [1, 2]]);
      expect(await store.corpus.chunksById([])).toEqual([]);
    });

    it('returns vectors unchanged', async () => {
      const store = await open();
      const document = newDocument('one');
      await ingest(store, document, newChunks(3));
      const { items } = await store.corpus.chunksOf(document.id, all);
      const vectors = await store.corpus.vectorsOf(items.map(({ id }) => id));
      expect([...vectors.values()]).toHaveLength(3);
      for (const { id, order } of items) expect(vectors.get(id)).toEqual(direction(order));
    });

    it('searches documents by title and summary, and no longer finds removed ones', async () => {
      const store = await open();
      const { corpus } = store;
      const withSummary = async (name: string, summary: string) => {
        await corpus.begin(newDocument(name));
        await corpus.publish(newDocument(name).id, publication('', { summary }));
      };
      await withSummary('Whaling voyages', 'A captain hunts a whale.');
      await withSummary('Gardening', 'On roses, and once on a whale.');
      await withSummary('Astronomy', 'Stars.');
      const search = (text: string) => corpus.searchDocuments({ text, filter: everything, ...all });
      const found = await search('whales whaling');
      expect(found.items.map(({ title }) => title)).toEqual(['Whaling voyages', 'Gardening']);
      expect(found.total).toBe(2);
      for (const { score } of found.items) expect(score).toBeGreaterThanOrEqual(0);
      for (const { score } of found.items) expect(score).toBeLessThan(1);
      expect(await search('"quoted*" AND (odd')).toMatchObject({ total: 0 });
      expect(await search('  ')).toEqual({ items: [], total: 0 });
      await corpus.remove({ kind: 'compare', field: 'title', op: 'eq', value: 'Gardening' });
      expect((await search('whale')).total).toBe(1);
    });

    it('merges or replaces metadata, effective for filters at once', async () => {
      const store = await open();
      const document = newDocument('one', { metadata: { kept: 1, changed: 1 } });
      await ingest(store, document, newChunks(1));
      const { corpus } = store;
      expect((await corpus.setMetadata(document.id, { changed: 2 }, 'merge')).metadata).toEqual({
        kept: 1,
        changed: 2,
      });
      expect((await corpus.setMetadata(document.id, { only: true }, 'replace')).metadata).toEqual({ only: true });
      const byOnly = { kind: 'compare', field: 'metadata.only', op: 'eq', value: true } as const;
      expect((await corpus.list(byOnly, all)).total).toBe(1);
      await expect(corpus.setMetadata(newDocument('two').id, {}, 'merge')).rejects.toMatchObject({ code: 'not_found' });
    });

    it('removes a document with all its records, and returns the counts', async () => {
      const store = await open();
      const { corpus, sqlite, spaces, index, maintenance } = store;
      await ingest(store, newDocument('one'), newChunks(3));
      await ingest(store, newDocument('two'), newChunks(2));
      const receipt = await corpus.remove({ kind: 'compare', field: 'title', op: 'eq', value: 'one' });
      expect(receipt).toEqual({
        versions: 0,
        pastChunks: 0,
        index: { removed: 3, state: 'confirmed' },
        verified: true,
        documents: 1,
        chunks: 3,
        vectors: 3,
        fullTextEntries: 4,
        files: 1,
        graphRows: 0,
      });
      expect(await corpus.get(newDocument('one').id)).toBeUndefined();
      expect(await corpus.bytesOf(newDocument('one').id)).toBeUndefined();
      expect(await corpus.textOf(newDocument('one').id)).toBeUndefined();
      await maintenance.replayOutbox();
      const space = await spaces.current();
      expect(await (await index.open(space?.collection ?? '', 4)).count()).toBe(2);
      for (const table of ['chunks', 'chunk_vectors', 'chunk_terms']) {
        const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
          sqlite.reader,
        );
        expect(rows[0]?.count, table).toBe(2);
      }
      const nothing = {
        documents: 0,
        chunks: 0,
        vectors: 0,
        fullTextEntries: 0,
        files: 0,
        graphRows: 0,
        versions: 0,
        pastChunks: 0,
        index: { removed: 0, state: 'confirmed' },
        verified: true,
      };
      expect(await corpus.remove({ kind: 'none' })).toEqual(nothing);
    });

    it('counts documents and chunks', async () => {
      const store = await open();
      await ingest(store, newDocument('one'), newChunks(3));
      await store.corpus.begin(newDocument('two'));
      await store.collections.ensure({ id: newDocument('x').id, ownerId: newDocument('x').ownerId, name: 'Default' });
      expect(await store.corpus.stats()).toMatchObject({
        documents: { success: 1, pending: 1, failed: 0 },
        chunks: 3,
        collections: 1,
        pendingIndexWrites: 0,
        space: { embedder: 'test/angles', version: '1', dimensions: 4 },
      });
    });

    it('ingests many documents concurrently without losing data', async () => {
      const store = await open();
      const names = Array.from({ length: 20 }, (_, number) => `document ${number}`);
      await Promise.all(names.map((name) => ingest(store, newDocument(name), newChunks(30, name))));
      for (const name of names) {
        const chunks = await store.corpus.chunksOf(newDocument(name).id, all);
        expect(chunks.items.map(({ text }) => text)).toEqual(Array.from({ length: 30 }, () => name));
      }
      expect((await store.corpus.stats()).chunks).toBe(600);
    });
  });
}
