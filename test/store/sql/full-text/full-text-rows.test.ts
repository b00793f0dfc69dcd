import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ANALYSER_VERSION } from '../../../../src/store/full-text/analyse.ts';
import { ingest, newChunk, newDocument, openTestStore, publication, type TestStore } from '../../../support/store.ts';

async function matching({ sqlite }: TestStore, table: 'chunk_terms' | 'document_terms', query: string) {
  const { rows } = await sql<{ rowid: number }>`
    select rowid from ${sql.table(table)} where ${sql.ref(table)} match ${query} order by rowid`.execute(sqlite.reader);
  return rows.length;
}

const withSplitChunks = async (...texts: string[]) => {
  const store = await openTestStore();
  const chunks = texts.map((text, order) => newChunk(order, text, { headingPath: ['Voyages'] }));
  await ingest(store, newDocument('Moby Dick'), chunks);
  return store;
};

it('indexes the terms of a chunk, of its headings and of its document’s title', async () => {
  const store = await withSplitChunks('Hunting whales', 'Mending sails');
  expect(await matching(store, 'chunk_terms', 'body : whale')).toBe(1);
  expect(await matching(store, 'chunk_terms', 'title : voyag')).toBe(2);
  expect(await matching(store, 'chunk_terms', 'title : mobi')).toBe(2);
  expect(await matching(store, 'chunk_terms', 'body : mobi')).toBe(0);
  expect(await matching(store, 'document_terms', 'title : mobi')).toBe(1);
});

it('replaces the terms of a document with its chunks', async () => {
  const store = await withSplitChunks('Hunting whales');
  const document = newDocument('Moby Dick');
  await store.corpus.begin(document, { replace: true });
  await store.corpus.stage(document.id, [newChunk(0, 'Tending roses')]);
  expect(await matching(store, 'chunk_terms', 'whale')).toBe(1);
  expect(await matching(store, 'chunk_terms', 'rose')).toBe(0);
  await store.corpus.publish(document.id, publication('Tending roses', { summary: 'Of gardens' }));
  expect(await matching(store, 'chunk_terms', 'whale')).toBe(0);
  expect(await matching(store, 'chunk_terms', 'rose')).toBe(1);
  expect(await matching(store, 'document_terms', 'garden')).toBe(1);
});

it('is rebuilt when the analyser has changed', async () => {
  const store = await withSplitChunks('Hunting whales', 'Mending sails');
  const { writer } = store.sqlite;
  await sql`delete from chunk_terms`.execute(writer);
  await sql`insert into chunk_terms (rowid, title, body) values (999, '', 'whale')`.execute(writer);
  await writer.updateTable('settings').set({ value: 'older' }).where('name', '=', 'analyser_version').execute();
  const next = await store.reopen();
  expect(await matching(next, 'chunk_terms', 'whale')).toBe(1);
  expect(await matching(next, 'chunk_terms', 'sail')).toBe(1);
  expect(await matching(next, 'document_terms', 'mobi')).toBe(1);
  const stamp = await next.sqlite.reader
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'analyser_version')
    .executeTakeFirst();
  expect(stamp?.value).toBe(ANALYSER_VERSION);
});
