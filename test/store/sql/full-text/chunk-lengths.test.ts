import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Filter } from '../../../../src/documents/filter.ts';
import {
  type ChunkLengths,
  createLengthsReader,
  termTables,
} from '../../../../src/store/sql/full-text/chunk-lengths.ts';
import { storeWarmUpData } from '../../../../src/store/sql/index-sync/store-warm-up-data.ts';
import {
  ingest,
  newChunk,
  newChunks,
  newDocument,
  openTestStore,
  publication,
  testSpace,
} from '../../../support/store.ts';

/** Reads on a connection of its own, and counts the entries that were read. */
function readersOn(path: string) {
  const database = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => database.close());
  let entries = 0;
  const rows = (sql: string, ...parameters: number[]) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    const found = statement.all(...parameters) as unknown as unknown[][];
    if (sql.includes('_docsize')) entries += (JSON.parse(String(found[0]?.[0])) as unknown[]).length;
    return found;
  };
  return {
    readers: new Map(termTables.map((table) => [table, createLengthsReader(rows, table)])),
    fresh: (table: (typeof termTables)[number]) => createLengthsReader(rows, table).read(),
    entriesReadBy(work: () => unknown): number {
      const before = entries;
      work();
      return entries - before;
    },
  };
}

// Without the reserve for chunks to come.
const plain = ({ lengths, count, mean }: ChunkLengths) => ({
  lengths: [...lengths].flatMap((length, key) => (length >= 0 ? [[key, length]] : [])),
  count,
  mean,
});

const firstPage = { offset: 0, limit: 100 };
const inDocument = (id: string): Filter => ({ kind: 'compare', field: 'id', op: 'eq', value: id });

describe('the lengths that a connection caches', () => {
  it('equal those of a new one after every kind of change, of which they read only a part', async () => {
    const store = await openTestStore();
    const { corpus, path } = store;
    const documents = Array.from({ length: 12 }, (_, number) => newDocument(`document ${number}`));
    for (const document of documents) await ingest(store, document, newChunks(20, 'some words of a chunk'));
    const { readers, fresh, entriesReadBy } = readersOn(path);
    const renewed = () => entriesReadBy(() => readers.get('chunk_terms')?.read());
    expect(renewed()).toBe(240);
    const [one, two, three, four, five] = documents;
    if (!(one && two && three && four && five)) throw new Error('There are twelve.');
    const chunksOf = async (id: string) => (await corpus.chunksOf(id, firstPage)).items;

    const changes: Record<string, readonly [change: () => Promise<unknown>, entries: number]> = {
      metadata: [() => corpus.setMetadata(one.id, { colour: 'red' }, 'merge'), 0],
      'a new document': [() => ingest(store, newDocument('new'), newChunks(7, 'more words')), 7],
      'another title': [() => corpus.setMetadata(one.id, { title: 'A title of five words' }, 'merge'), 40],
      'another text of a chunk': [
        async () =>
          corpus.editChunk((await chunksOf(two.id))[3]?.id ?? '', {
            words: { text: 'a very different text', vector: newChunk(3).vector, embeddedIn: testSpace },
          }),
        1,
      ],
      'a chunk less': [async () => corpus.removeChunk((await chunksOf(two.id))[5]?.id ?? ''), 0],
      'other chunks of a document': [
        async () => {
          await corpus.begin(three, { replace: true });
          await corpus.stage(three.id, newChunks(9, 'words of the second version'));
          await corpus.publish(three.id, publication('of the second version', { title: 'Renamed' }));
        },
        9,
      ],
      'a document less': [() => corpus.remove(inDocument(four.id)), 0],
      'a document with a hidden one between': [
        async () => {
          await corpus.begin(newDocument('hidden'));
          await corpus.stage(newDocument('hidden').id, newChunks(3, 'hidden words'));
          await ingest(store, newDocument('later'), newChunks(4, 'words'));
          await corpus.publish(newDocument('hidden').id, publication('hidden'));
        },
        7,
      ],
    };
    for (const [name, [change, entries]] of Object.entries(changes)) {
      await change();
      expect.soft(renewed(), name).toBe(entries);
      for (const [table, reader] of readers) {
        expect.soft(plain(reader.read()), `${name}, ${table}`).toEqual(plain(fresh(table)));
      }
    }
    await corpus.remove(inDocument(five.id));
    await ingest(store, five, newChunks(2, 'here again'));
    expect(plain(readers.get('chunk_terms')?.read() ?? fresh('chunk_terms'))).toEqual(plain(fresh('chunk_terms')));
  });

  it('are read completely when there are too many changes to be recorded', async () => {
    const store = await openTestStore();
    const document = newDocument('document');
    await ingest(store, document, newChunks(30, 'words of a chunk'));
    const { readers, fresh, entriesReadBy } = readersOn(store.path);
    const reader = readers.get('chunk_terms');
    reader?.read();
    const database = new DatabaseSync(store.path, { timeout: 10_000 });
    onTestFinished(() => database.close());
    const [chunk] = (await store.corpus.chunksOf(document.id, firstPage)).items;
    await store.corpus.removeChunk(chunk?.id ?? '');
    database.exec('update full_text_changes set key = key + 1000');
    expect(entriesReadBy(() => reader?.read())).toBe(29);
    expect(plain(reader?.read() ?? fresh('chunk_terms'))).toEqual(plain(fresh('chunk_terms')));
  });

  it('begin with those that an earlier process stored, and what has changed since', async () => {
    const store = await openTestStore();
    const { corpus, path, sqlite } = store;
    const documents = Array.from({ length: 12 }, (_, number) => newDocument(`document ${number}`));
    for (const document of documents) await ingest(store, document, newChunks(20, 'some words of a chunk'));
    const database = new DatabaseSync(path, { timeout: 10_000 });
    onTestFinished(() => database.close());
    database.exec('delete from full_text_lengths');
    await storeWarmUpData(sqlite, new AbortController().signal);
    const { readers, fresh, entriesReadBy } = readersOn(path);
    const entries = () => entriesReadBy(() => fresh('chunk_terms'));
    const truth = () => {
      const kept = database.prepare('select * from full_text_lengths').get();
      database.exec('delete from full_text_lengths');
      const read = plain(fresh('chunk_terms'));
      database
        .prepare('insert into full_text_lengths (name, last_change, structure, lengths) values (?, ?, ?, ?)')
        .run(...Object.values(kept ?? {}));
      return read;
    };
    expect(entries()).toBe(0);
    expect(plain(fresh('chunk_terms'))).toEqual(truth());
    expect(truth().count).toBe(240);

    const [one] = documents;
    const [chunk] = (await corpus.chunksOf(one?.id ?? '', firstPage)).items;
    const words = { text: 'a very different text', vector: newChunk(3).vector, embeddedIn: testSpace };
    await corpus.editChunk(chunk?.id ?? '', { words });
    expect(entries()).toBe(1);
    expect(plain(fresh('chunk_terms'))).toEqual(truth());

    // As when the index was emptied and filled again.
    database.exec('update full_text_lengths set structure = (select block from chunk_terms_data where id = 10)');
    expect(plain(fresh('chunk_terms'))).toEqual(truth());
    expect(plain(readers.get('chunk_terms')?.read() ?? fresh('chunk_terms'))).toEqual(truth());
  });

  it('keep the record of changes short', async () => {
    const store = await openTestStore();
    const document = newDocument('document');
    await ingest(store, document, newChunks(1));
    const database = new DatabaseSync(store.path, { timeout: 10_000 });
    onTestFinished(() => database.close());
    const add = database.prepare('insert into full_text_changes (first_chunk, last_chunk) values (1, 1)');
    database.exec('begin');
    for (let count = 0; count < 1_500; count++) add.run();
    database.exec('commit');
    await store.corpus.setMetadata(document.id, { title: 'Another' }, 'merge');
    expect(database.prepare('select count(*) as count from full_text_changes').get()).toEqual({ count: 1_000 });
  });
});
