import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import { readQueryTerms } from '../../../../src/store/full-text/analyse.ts';
import { presentTerms } from '../../../../src/store/sql/full-text/term-index.ts';
import { compileChunkFilter } from '../../../../src/store/sql/search/compile-filter.ts';
import { freeCaches, type Reading, withSnapshot } from '../../../../src/store/sql/search/read-snapshot.ts';
import { searchOperations } from '../../../../src/store/sql/search/search-operations.ts';
import { sqliteSql } from '../../../../src/store/sql/sqlite/sqlite-sql.ts';
import {
  ingest,
  newChunk,
  newChunks,
  newDocument,
  openTestStore,
  publication,
  type TestStore,
  testSpace,
} from '../../../support/store.ts';

describe('full-text searches over connections that stay open', () => {
  const firstPage = { offset: 0, limit: 100 };
  const inDocument = (id: string): Filter => ({ kind: 'compare', field: 'id', op: 'eq', value: id });
  const queries = ['granite', 'words of a chunk', 'quartz granit title', 'different', 'Renamed', 'basalt words'];

  function openReader({ path }: TestStore): DatabaseSync {
    const database = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => database.close());
    return database;
  }

  function search(database: DatabaseSync) {
    const patient = { check: () => undefined };
    return queries.map((text) => {
      const query = { ...readQueryTerms(text), filter: compileChunkFilter(sqliteSql, everything), limit: 50 };
      const { hits, corrections } = searchOperations.matchingChunks(database, query, patient);
      return { found: hits.map(({ id, score, text: found }) => [id, score, found]), corrections };
    });
  }

  /** Reads all postings of a term from the index. */
  const isRead = (database: DatabaseSync, term: string): boolean => {
    const statements: string[] = [];
    withSnapshot(database, { check: () => undefined }, (reading) => {
      const row: Reading['row'] = (sql, ...parameters) => {
        statements.push(sql);
        return reading.row(sql, ...parameters);
      };
      presentTerms({ ...reading, row }, 'chunk_terms').postings(term);
    });
    return statements.some((sql) => sql.includes('chunk_terms_idx'));
  };

  it('find what a new connection finds after every kind of change, whichever process makes it', async () => {
    const store = await openTestStore();
    const other = await openTestStore({}, store.path);
    const documents = Array.from({ length: 10 }, (_, number) => newDocument(`document ${number}`));
    const texts = ['granite words', 'quartz and granite, granite', 'words of a chunk', 'basalt'];
    for (const document of documents) {
      const chunks = texts.map((text, order) => newChunk(order, `${text} ${document.title}`));
      await ingest(store, document, chunks);
    }
    const [one, two, three, four, five] = documents;
    if (!(one && two && three && four && five)) throw new Error('There are ten.');
    const chunksOf = async (id: string) => (await store.corpus.chunksOf(id, firstPage)).items;
    const replace = async ({ corpus }: TestStore, text: string, title: string) => {
      await corpus.begin(three, { replace: true });
      await corpus.stage(three.id, newChunks(3, text));
      await corpus.publish(three.id, publication(text, { title }));
    };
    const changes: Record<string, () => Promise<unknown>> = {
      nothing: async () => undefined,
      'a new document': () => ingest(store, newDocument('new'), [newChunk(0, 'more granite, and words')]),
      'a new document of another process': () =>
        ingest(other, newDocument('foreign'), [newChunk(0, 'quartz of a chunk')]),
      'another title': () => store.corpus.setMetadata(one.id, { title: 'A title of granite' }, 'merge'),
      'another text of a chunk': async () =>
        other.corpus.editChunk((await chunksOf(two.id))[1]?.id ?? '', {
          words: { text: 'a very different text, without it', vector: newChunk(3).vector, embeddedIn: testSpace },
        }),
      'a chunk less': async () => store.corpus.removeChunk((await chunksOf(two.id))[0]?.id ?? ''),
      'other chunks of a document': () => replace(other, 'granite of the second version', 'Renamed'),
      'an earlier version restored': async () => {
        const versions = (await store.versions.list(three.id, firstPage)).items;
        await store.versions.restore(three.id, versions.at(-1)?.version ?? '');
      },
      'a document less': () => store.corpus.remove(inDocument(four.id)),
      'a document less and a new one with its keys': async () => {
        await store.corpus.remove(inDocument(five.id));
        await ingest(other, newDocument('last'), newChunks(2, 'different granite, different words'));
      },
      'many new chunks': () => ingest(store, newDocument('large'), newChunks(300, 'granite words')),
    };
    const readers = [openReader(store), openReader(store)];
    for (const [name, change] of Object.entries(changes)) {
      await change();
      const expected = search(openReader(store));
      // Twice: with postings from before the change, and with those that were brought up to date.
      for (const reader of [...readers, ...readers]) expect.soft(search(reader), name).toEqual(expected);
    }
  });

  it('read postings once, and not after a small write', async () => {
    const store = await openTestStore();
    await ingest(store, newDocument('stones'), newChunks(40, 'granite words'));
    const reader = openReader(store);
    expect([isRead(reader, 'granit'), isRead(reader, 'granit')]).toEqual([true, false]);
    await store.corpus.setMetadata(newDocument('stones').id, { colour: 'red' }, 'merge');
    expect(isRead(reader, 'granit')).toBe(false);
    await ingest(store, newDocument('more'), newChunks(3, 'granite words'));
    expect(isRead(reader, 'granit')).toBe(false);
    freeCaches(reader);
    expect([isRead(reader, 'granit'), isRead(reader, 'granit')]).toEqual([true, false]);
  });
});
