import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import { ANALYSER_VERSION } from '../../../../src/store/full-text/analyse.ts';
import { readAnalyserStamp } from '../../../../src/store/sql/full-text/full-text-rows.ts';
import { dialectOf } from '../../../../src/store/sql/sql-dialect.ts';
import { describeEngines } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument, publication, type TestStore } from '../../../support/store.ts';

const chunksWith = async ({ chunks }: TestStore, text: string) =>
  (await chunks.matching({ text, filter: everything, limit: 9 })).map((chunk) => chunk.text).sort();

const documentsWith = async ({ corpus }: TestStore, text: string) =>
  (await corpus.searchDocuments({ text, filter: everything, limit: 9, offset: 0 })).total;

describeEngines('The full-text index', (engine) => {
  const withSplitChunks = async (...texts: string[]) => {
    const store = await engine.openTestStore();
    const chunks = texts.map((text, order) => newChunk(order, text, { headingPath: ['Voyages'] }));
    await ingest(store, newDocument('Moby Dick'), chunks);
    return store;
  };

  it('has the terms of a chunk, of its headings and of its document’s title', async () => {
    const store = await withSplitChunks('Hunting whales', 'Mending sails');
    expect(await chunksWith(store, 'whale')).toEqual(['Hunting whales']);
    expect(await chunksWith(store, 'voyage')).toEqual(['Hunting whales', 'Mending sails']);
    expect(await chunksWith(store, 'moby')).toEqual(['Hunting whales', 'Mending sails']);
    expect(await documentsWith(store, 'moby')).toBe(1);
    expect(await documentsWith(store, 'voyage')).toBe(0);
  });

  it('replaces the terms of a document with its chunks', async () => {
    const store = await withSplitChunks('Hunting whales');
    const document = newDocument('Moby Dick');
    await store.corpus.begin(document, { replace: true });
    await store.corpus.stage(document.id, [newChunk(0, 'Tending roses')]);
    expect(await chunksWith(store, 'whale')).toEqual(['Hunting whales']);
    expect(await chunksWith(store, 'rose')).toEqual([]);
    await store.corpus.publish(document.id, publication('Tending roses', { summary: 'Of gardens' }));
    expect(await chunksWith(store, 'whale')).toEqual([]);
    expect(await chunksWith(store, 'rose')).toEqual(['Tending roses']);
    expect(await documentsWith(store, 'garden')).toBe(1);
  });

  it('is rebuilt when the analyser has changed', async () => {
    const store = await withSplitChunks('Hunting whales', 'Mending sails');
    const strayKey = 999;
    await store.sqlite.writer.transaction().execute(async (transaction) => {
      const { fullText } = dialectOf(transaction);
      await fullText.clear(transaction, 'chunk_terms');
      await fullText.clear(transaction, 'document_terms');
      const stray = sql`select ${sql.lit(strayKey)} as key, '' as title, '[]' as heading_path, 'whale' as text`;
      await fullText.add(transaction, 'chunk_terms', stray);
      await transaction
        .updateTable('settings')
        .set({ value: 'older' })
        .where('name', '=', 'analyser_version')
        .execute();
    });
    expect(await chunksWith(store, 'sail')).toEqual([]);
    const next = await store.reopen();
    expect(await chunksWith(next, 'whale')).toEqual(['Hunting whales']);
    expect(await chunksWith(next, 'sail')).toEqual(['Mending sails']);
    expect(await documentsWith(next, 'moby')).toBe(1);
    const { reader } = next.sqlite;
    expect(await dialectOf(reader).fullText.hasAny(reader, 'chunk_terms', [strayKey])).toBe(false);
    expect(await readAnalyserStamp(reader)).toBe(ANALYSER_VERSION);
  });
});
