import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import type { EmbeddingModel } from '../../../../src/embeddings/embedding-model.ts';
import { createChunkSearch } from '../../../../src/store/sql/search/chunk-search.ts';
import { describeEngines } from '../../../support/engines.ts';
import { newDocument, type TestStore } from '../../../support/store.ts';
import { directionOf, ingestTexts, timestamp } from './ingest-texts.ts';

describeEngines('Versions', ({ openTestStore }) => {
  const all = { offset: 0, limit: 100 };
  const letter = newDocument('Letter');
  const first = ['The whale was white.', 'The captain had one leg.', 'The ship was old.'];
  const second = ['The whale was white.', 'The captain had a wooden leg.', 'The ship was old.'];

  function searchOf({ sqlite, maintenance, index }: TestStore) {
    const collections = { open: (space: { collection: string }) => index.open(space.collection, 4) };
    return createChunkSearch({ search: sqlite.search, collections, state: maintenance.state });
  }

  const textsOf = async (store: TestStore, id = letter.id) =>
    (await store.corpus.chunksOf(id, all)).items.map(({ text }) => text);

  describe('a document that is ingested again', () => {
    it('embeds changed chunks, and reuses chunks, vectors and index entries of the others', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const before = (await store.corpus.chunksOf(letter.id, all)).items;
      expect(await ingestTexts(store, letter, ['A new beginning.', ...second])).toEqual([
        'A new beginning.',
        'The captain had a wooden leg.',
      ]);
      const after = (await store.corpus.chunksOf(letter.id, all)).items;
      expect(after.map(({ text }) => text)).toEqual(['A new beginning.', ...second]);
      expect(after.map(({ order }) => order)).toEqual([0, 1, 2, 3]);
      expect([after[1]?.id, after[3]?.id]).toEqual([before[0]?.id, before[2]?.id]);
      expect(after[1]?.start).toBe('A new beginning.'.length + 1);
      const { rows } = await sql<{ count: number }>`select count(*) as count from chunk_terms`.execute(
        store.sqlite.reader,
      );
      expect(rows[0]?.count).toBe(4);
      await store.maintenance.replayOutbox();
      const space = await store.spaces.current();
      expect(await (await store.index.open(space?.collection ?? '', 4)).count()).toBe(4);
      expect((await store.corpus.vectorsOf([after[1]?.id ?? ''])).get(after[1]?.id ?? '')).toEqual(
        directionOf(first[0] ?? ''),
      );
    });

    it('keeps user metadata of an unchanged chunk', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const [chunk] = (await store.corpus.chunksOf(letter.id, all)).items;
      await store.corpus.editChunk(chunk?.id ?? '', { metadata: { checked: true } });
      await ingestTexts(store, letter, second);
      expect((await store.corpus.chunksOf(letter.id, all)).items[0]?.metadata).toMatchObject({ checked: true });
    });

    it('keeps repeated chunks as often as they occur', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, ['Amen.', 'Amen.', 'Amen.']);
      expect(await ingestTexts(store, letter, ['Amen.', 'Amen.'])).toEqual([]);
      expect(await ingestTexts(store, letter, ['Amen.', 'Amen.', 'Amen.'])).toEqual(['Amen.']);
      expect(await textsOf(store)).toEqual(['Amen.', 'Amen.', 'Amen.']);
    });

    it('creates no version without a change', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const before = await store.corpus.get(letter.id);
      await ingestTexts(store, letter, first);
      expect((await store.versions.list(letter.id, all)).total).toBe(1);
      expect(await store.corpus.get(letter.id)).toMatchObject({ version: 'v0', publishedAt: before?.publishedAt });
    });

    it('is refused publication when a reused chunk was removed meanwhile', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const { corpus } = store;
      const [chunk] = (await corpus.chunksOf(letter.id, all)).items;
      await corpus.begin({ ...letter, bytes: Buffer.from('other') }, { replace: true });
      const chunks = first.map((text, order) => ({
        text,
        order,
        start: 0,
        end: text.length,
        page: null,
        headingPath: [],
        embeddedText: `Letter\n${text}`,
      }));
      expect((await corpus.keep(letter.id, { title: 'Letter', chunks })).size).toBe(3);
      await store.sqlite.writer
        .deleteFrom('chunks')
        .where('id', '=', chunk?.id ?? '')
        .execute();
      const publication = { text: 'x', pages: [], summary: null, totalTokens: 0, chunkCount: 3 };
      await expect(corpus.publish(letter.id, publication)).rejects.toMatchObject({ code: 'conflict' });
    });
  });

  describe('earlier versions', () => {
    it('are kept with their text, file, chunks and vectors, newest first', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      const { versions } = store;
      const { items, total } = await versions.list(letter.id, all);
      expect(total).toBe(2);
      expect(items.map(({ version, replacedAt }) => [version, replacedAt === null])).toEqual([
        ['v1', true],
        ['v0', false],
      ]);
      expect(items[1]?.replacedAt).toBe(items[0]?.publishedAt);
      const v0 = { version: 'v0' };
      expect(await versions.textOf(letter.id, v0)).toEqual({ text: first.join('\n'), pages: [] });
      expect(Buffer.from((await versions.bytesOf(letter.id, v0)) ?? []).toString()).toBe(first.join('\n'));
      const chunks = await versions.chunksOf(letter.id, v0, all);
      expect(chunks.items.map(({ text }) => text)).toEqual(first);
      expect(chunks.items.map(({ version }) => version)).toEqual(['v0', 'v0', 'v0']);
      const gone = chunks.items[1]?.id ?? '';
      expect((await versions.vectorsOf(letter.id, v0, [gone])).get(gone)).toEqual(directionOf(first[1] ?? ''));
      expect(await versions.document(letter.id, v0)).toMatchObject({ version: 'v0', title: 'Letter' });
      expect(await versions.document(letter.id, { version: 'v9' })).toBeUndefined();
    });

    it('keep the published file while its successor is pending, fails or is submitted again', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await store.corpus.begin({ ...letter, bytes: Buffer.from('broken') }, { replace: true });
      await store.corpus.fail(letter.id, { reason: 'Broken.', remedy: 'file' });
      await ingestTexts(store, letter, second);
      const bytes = await store.versions.bytesOf(letter.id, { version: 'v0' });
      expect(Buffer.from(bytes ?? []).toString()).toBe(first.join('\n'));
    });

    it('leave nothing in the tables of current versions', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      for (const table of ['chunks', 'chunk_vectors', 'chunk_terms']) {
        const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
          store.sqlite.reader,
        );
        expect([table, rows[0]?.count]).toEqual([table, 3]);
      }
      expect((await store.corpus.stats()).chunks).toBe(3);
      const found = await searchOf(store).matching({ text: 'one', filter: everything, limit: 10 });
      expect(found).toEqual([]);
    });

    it('are deleted beyond the number to keep, with a receipt', async () => {
      const store = await openTestStore({ versionsKept: 1 });
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      await ingestTexts(store, letter, ['All is lost.']);
      const { items } = await store.versions.list(letter.id, all);
      expect(items.map(({ version, retired }) => [version, retired?.receipt])).toEqual([
        ['v2', undefined],
        ['v1', undefined],
        ['v0', { passages: 1, vectors: 1, fullTextEntries: 2, files: 1 }],
      ]);
      expect(await store.versions.textOf(letter.id, { version: 'v0' })).toBeUndefined();
      expect((await store.versions.chunksOf(letter.id, { version: 'v1' }, all)).items.map(({ text }) => text)).toEqual(
        second,
      );
    });

    it('are not kept with a limit of 0, which also deletes existing ones', async () => {
      const store = await openTestStore({ versionsKept: 5 });
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      const next = await store.reopen({ versionsKept: 0 });
      expect(await next.versions.textOf(letter.id, { version: 'v0' })).toBeUndefined();
      await ingestTexts(next, letter, first);
      expect((await next.versions.list(letter.id, all)).items.map(({ version }) => version)).toEqual([
        'v2',
        'v1',
        'v0',
      ]);
      const { rows } = await sql<{ count: number }>`select count(*) as count from past_chunks`.execute(
        next.sqlite.reader,
      );
      expect(rows[0]?.count).toBe(0);
    });

    it('do not change when a shared chunk is edited or removed', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      const { corpus, versions } = store;
      const [whale, , ship] = (await corpus.chunksOf(letter.id, all)).items;
      await corpus.editChunk(whale?.id ?? '', { metadata: { color: 'white' } });
      await corpus.removeChunk(ship?.id ?? '');
      const { items } = await versions.chunksOf(letter.id, { version: 'v0' }, all);
      expect(items.map(({ text }) => text)).toEqual(first);
      expect(items[0]?.metadata).not.toHaveProperty('color');
      expect(await textsOf(store)).toEqual(second.slice(0, 2));
    });

    it('are deleted with their document, and counted', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      await store.corpus.remove(everything);
      const tables = ['document_versions', 'version_chunks', 'version_texts', 'version_files', 'version_terms'];
      for (const table of [...tables, 'past_chunks', 'past_chunk_vectors', 'past_chunk_terms', 'visible_originals']) {
        const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
          store.sqlite.reader,
        );
        expect([table, rows[0]?.count]).toEqual([table, 0]);
      }
    });

    it('list additions and removals in text order', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, second);
      const difference = await store.versions.diff(letter.id, 'v0', 'v1');
      expect(difference).toMatchObject({ from: 'v0', to: 'v1', unchanged: 2 });
      expect(difference?.differences.map(({ kind, text }) => [kind, text])).toEqual([
        ['removed', 'The captain had one leg.'],
        ['added', 'The captain had a wooden leg.'],
      ]);
      expect(await store.versions.diff(letter.id, 'v0', 'v7')).toBeUndefined();
    });
  });

  describe('a version that is restored', () => {
    it('is published again as a new one, without an embedding, and found by every leg', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const [, leg] = (await store.corpus.chunksOf(letter.id, all)).items;
      await ingestTexts(store, letter, second);
      const restored = await store.versions.restore(letter.id, 'v0');
      expect(restored).toMatchObject({ version: 'v2', ingestionStatus: 'success', chunkCount: 3 });
      expect(await textsOf(store)).toEqual(first);
      expect((await store.corpus.chunksOf(letter.id, all)).items[1]?.id).toBe(leg?.id);
      expect(Buffer.from((await store.corpus.bytesOf(letter.id)) ?? []).toString()).toBe(first.join('\n'));
      await store.maintenance.replayOutbox();
      const space = await store.spaces.current();
      expect(await (await store.index.open(space?.collection ?? '', 4)).count()).toBe(3);
      const search = searchOf(store);
      expect((await search.matching({ text: 'one', filter: everything, limit: 5 })).map(({ text }) => text)).toEqual([
        first[1],
      ]);
      const near = await search.nearest({
        vector: directionOf(first[1] ?? ''),
        measure: 'cosine_distance',
        filter: everything,
        limit: 1,
      });
      expect(near[0]?.text).toBe(first[1]);
      const chunks = (version: string) => store.versions.chunksOf(letter.id, { version }, all);
      expect((await chunks('v0')).items.map(({ text }) => text)).toEqual(first);
      expect((await chunks('v1')).items.map(({ text }) => text)).toEqual(second);
    });

    it('must exist, be an earlier one, and not conflict with an ingestion', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const { versions, corpus } = store;
      await expect(versions.restore(letter.id, 'v3')).rejects.toMatchObject({ code: 'not_found' });
      await expect(versions.restore(letter.id, 'v0')).rejects.toMatchObject({ code: 'conflict' });
      await ingestTexts(store, letter, second);
      await corpus.begin({ ...letter, bytes: Buffer.from('next') }, { replace: true });
      await expect(versions.restore(letter.id, 'v0')).rejects.toMatchObject({ code: 'conflict' });
      await corpus.fail(letter.id, { reason: 'Broken.', remedy: 'file' });
      expect(await versions.restore(letter.id, 'v0')).toMatchObject({ version: 'v2', ingestionStatus: 'success' });
      expect(Buffer.from((await versions.bytesOf(letter.id, { version: 'v1' })) ?? []).toString()).toBe(
        second.join('\n'),
      );
    });
  });

  describe('a query as of an earlier time', () => {
    it('has exactly the results and scores of that time', async () => {
      const store = await openTestStore();
      const other = newDocument('Log');
      const logs = ['The whale swam away.', 'Nothing was seen of the whale.'];
      await ingestTexts(store, letter, first);
      await ingestTexts(store, other, logs);
      const then = await timestamp();
      const duplicate = await openTestStore();
      await ingestTexts(duplicate, letter, first);
      await ingestTexts(duplicate, other, logs);

      await ingestTexts(store, letter, ['The whale was white.', 'A whale of a time.', 'A whale in every line.']);
      await ingestTexts(store, newDocument('New'), ['Whale whale whale.']);
      await ingestTexts(store, other, ['Gone.']);
      const now = { text: 'whale captain', filter: everything, limit: 10 };
      const plain = (chunks: readonly { text: string; score: number; documentId: string }[]) =>
        chunks.map(({ text, score, documentId }) => ({ text, score, documentId }));
      const asOf = await searchOf(store).matching({ ...now, asOf: then });
      expect(plain(asOf)).toEqual(plain(await searchOf(duplicate).matching(now)));
      const near = { vector: directionOf('whale'), measure: 'cosine_distance', filter: everything, limit: 10 } as const;
      expect(plain(await searchOf(store).nearest({ ...near, asOf: then }))).toEqual(
        plain(await searchOf(duplicate).nearest(near)),
      );
      const titled = {
        kind: 'and',
        filters: [
          { kind: 'compare', field: 'title', op: 'eq', value: 'Log' },
          { kind: 'compare', field: 'chunk_order', op: 'eq', value: 1 },
        ],
      } as const;
      const filtered = await searchOf(store).matching({ ...now, filter: titled, asOf: then });
      expect(filtered.map(({ text, version }) => [text, version])).toEqual([[logs[1], 'v0']]);
      expect(await searchOf(store).countPrunedVersions?.(then, everything)).toBe(0);

      const past = store.corpus.at(then);
      expect((await past.list(everything, all)).items.map(({ title }) => title)).toEqual(['Log', 'Letter']);
      expect(await past.textOf(letter.id)).toMatchObject({ text: first.join('\n') });
      expect((await past.chunksOf(letter.id, all)).items.map(({ text }) => text)).toEqual(first);
      const [, leg] = (await past.chunksOf(letter.id, all)).items;
      expect((await past.chunksById([leg?.id ?? ''])).map(({ text }) => text)).toEqual([first[1]]);
      expect((await past.searchDocuments({ text: 'log letter new', filter: everything, ...all })).total).toBe(2);
      expect((await store.corpus.at('2001-01-01T00:00:00.000Z').list(everything, all)).total).toBe(0);
    });

    it('does not affect the ranking of current versions', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      await ingestTexts(store, letter, ['A whale of a time.', 'A whale in every line.']);
      await ingestTexts(store, letter, second);
      const fresh = await openTestStore();
      await ingestTexts(fresh, letter, second);
      const query = { text: 'whale ship', filter: everything, limit: 10 };
      const plain = (chunks: readonly { text: string; score: number }[]) =>
        chunks.map(({ text, score }) => [text, score]);
      expect(plain(await searchOf(store).matching(query))).toEqual(plain(await searchOf(fresh).matching(query)));
    });

    it('reports how many versions of that time were pruned', async () => {
      const store = await openTestStore({ versionsKept: 0 });
      await ingestTexts(store, letter, first);
      const then = await timestamp();
      await ingestTexts(store, letter, second);
      expect(await searchOf(store).countPrunedVersions?.(then, everything)).toBe(1);
      const others = { kind: 'notIn', field: 'document_id', values: [letter.id] } as const;
      expect(await searchOf(store).countPrunedVersions?.(then, others)).toBe(0);
      const saying = { kind: 'compare', field: 'text', op: 'eq', value: 'x' } as const;
      expect(await searchOf(store).countPrunedVersions?.(then, saying)).toBe(0);
      expect(await searchOf(store).matching({ text: 'whale', filter: everything, limit: 5, asOf: then })).toEqual([]);
    });
  });

  describe('another embedder', () => {
    it('embeds the chunks of earlier versions too, so that they can be searched and restored', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const then = await timestamp();
      await ingestTexts(store, letter, second);
      const space = { embedder: 'test/other', version: '1', dimensions: 4 };
      const embedder: EmbeddingModel = {
        name: space.embedder,
        isLexical: false,
        space: async () => space,
        embed: async (texts) => texts.map((text) => directionOf(text.split('\n').at(-1) ?? '')),
      };
      const moving = store.spaces.reindex(embedder, new AbortController().signal);
      let last = await moving.next();
      while (!last.done) last = await moving.next();
      const notes: string[] = [];
      const found = await searchOf(store).nearest({
        vector: directionOf(first[1] ?? ''),
        measure: 'cosine_distance',
        filter: everything,
        limit: 1,
        asOf: then,
        note: (text) => notes.push(text),
      });
      expect([found[0]?.text, notes]).toEqual([first[1], []]);
      expect(await store.versions.restore(letter.id, 'v0')).toMatchObject({ version: 'v2' });
    });

    it('finds words of earlier versions after the analyser has changed', async () => {
      const store = await openTestStore();
      await ingestTexts(store, letter, first);
      const then = await timestamp();
      await ingestTexts(store, letter, second);
      await store.sqlite.writer
        .updateTable('settings')
        .set({ value: 'old' })
        .where('name', '=', 'analyser_version')
        .execute();
      const next = await store.reopen();
      const query = { text: 'one', filter: everything, limit: 5, asOf: then };
      expect((await searchOf(next).matching(query)).map(({ text }) => text)).toEqual([first[1]]);
    });
  });
});
