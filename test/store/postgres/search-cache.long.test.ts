import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { everything, type Filter } from '../../../src/documents/filter.ts';
import { readQueryTerms } from '../../../src/store/full-text/analyse.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { compareCodePoints } from '../../../src/store/postgres/full-text/compare-code-points.ts';
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { overOneState } from '../../../src/store/postgres/search/call-on.ts';
import { createKnownStates, readState, type State } from '../../../src/store/postgres/search/known-states.ts';
import { createSearchCache, type StateQueries } from '../../../src/store/postgres/search/reading.ts';
import type { SqlStore } from '../../../src/store/sql/open-store.ts';
import { keySet } from '../../../src/store/sql/search/key-set.ts';
import type { Queries } from '../../../src/store/sql/vector-spaces/space-rows.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { embeddingText, ingest, newChunks, newDocument, publication, testSpace } from '../../support/store.ts';

const WORDS = ['ferry', 'harbour', 'tide', 'gull', 'rope', 'lantern', 'anchor', 'keel'];

describePostgres('A search', () => {
  it('finds after any change the same as a server with an empty cache', async () => {
    const url = await postgresDatabase();
    const open = async () => {
      const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 2 });
      onTestFinished(() => store.close());
      return store;
    };
    const [writer, longRunning] = [await open(), await open()];
    await writer.spaces.claim(testSpace);
    const random = seededRandom(7);
    const pick = <Value>(list: readonly Value[]) => list[Math.floor(random.next() * list.length)] as Value;
    for (let round = 0; round < 6; round++) {
      for (let step = 0; step < 8; step++) await change(writer, pick, random.next());
      const other = await open();
      expect(await searches(longRunning)).toEqual(await searches(other));
    }
  });
});

describePostgres('A search of cached data', () => {
  // Other connections send statements of their own meanwhile: heartbeats, and questions for changes of other servers.
  const countingQueries = async (reader: Queries, work: () => Promise<unknown>) => {
    const query = vi.spyOn(Client.prototype, 'query');
    try {
      await sql`select 'counted'`.execute(reader);
      const connection =
        query.mock.contexts[query.mock.calls.findIndex((sent) => JSON.stringify(sent).includes('counted'))];
      query.mockClear();
      await work();
      return query.mock.contexts.filter((each) => each === connection).length;
    } finally {
      query.mockRestore();
    }
  };

  it('takes one statement, and one more or a transaction after a change of another server', async () => {
    const url = await postgresDatabase();
    const { reader, search, close } = await openPostgres({ url, readers: 1 });
    onTestFinished(close);
    const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 1 });
    onTestFinished(() => store.close());
    await store.spaces.claim(testSpace);
    await ingest(store, newDocument('first'), newChunks(1, 'keel'));
    const query = { ...readQueryTerms('keel'), filter: null, limit: 10 };
    const find = async () => (await search.call('matchingChunks', query)).hits.map(({ id }) => id);
    const only = await find();
    await find();
    // The first two note the state.
    expect(await countingQueries(reader, find)).toBe(1);
    expect(await find()).toEqual(only);
    await ingest(store, newDocument('second'), newChunks(1, 'keel'));
    expect(await find()).toHaveLength(2);
    await ingest(store, newDocument('third'), newChunks(1, 'keel'));
    expect(await find()).toHaveLength(3);
    // What is read in a transaction sees nothing of what is written meanwhile.
    const counted = await overOneState({ reader, cache: createSearchCache() }, async (reading) => {
      await reading.transaction();
      await ingest(store, newDocument('fourth'), newChunks(1, 'keel'));
      const [row] = await reading.rows(sql<{ count: number }>`select count(*) as count from chunks`);
      return row?.count;
    })({});
    expect(counted).toBe(3);
    expect(await find()).toHaveLength(4);
  });

  it('restarts when the state changes between two of its statements', async () => {
    const url = await postgresDatabase();
    const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 1 });
    onTestFinished(() => store.close());
    const { reader, close } = await openPostgres({ url, readers: 1 });
    onTestFinished(close);
    await store.spaces.claim(testSpace);
    const documents = ['first', 'second'].map((name) => newDocument(name));
    let attempts = 0;
    const count = sql<{ count: number }>`select count(*) as count from chunks`;
    const counts = await overOneState({ reader, cache: createSearchCache() }, async (reading) => {
      attempts++;
      const [before] = await reading.rows(count);
      const document = documents.shift();
      if (document !== undefined) await ingest(store, document, newChunks(1, 'keel'));
      const [after] = await reading.rows(count);
      return [before?.count, after?.count];
    })({});
    expect(attempts).toBe(2);
    expect(counts).toEqual([1, 1]);
  });
});

describePostgres('Cached postings', () => {
  async function openBoth() {
    const url = await postgresDatabase();
    const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 1 });
    onTestFinished(() => store.close());
    const { reader, close } = await openPostgres({ url, readers: 2 });
    onTestFinished(close);
    await store.spaces.claim(testSpace);
    return { store, reader };
  }

  const within = (database: Queries): StateQueries => ({
    rows: async (query) => (await query.execute(database)).rows,
    transaction: async () => database,
  });

  it('are replaced where blocks have changed', async () => {
    const { store, reader } = await openBoth();
    const readWith = (cache: ReturnType<typeof createSearchCache>) =>
      reader.connection().execute(async (database) => {
        const state = await readState(database, 'begin;');
        const terms = cache.terms.chunk_terms.at(state.indexes.chunk_terms);
        await terms.fetch(within(database), ['keel']);
        await sql`commit`.execute(database);
        return terms.get('keel');
      });
    const kept = createSearchCache();
    const [first, second, third] = ['first', 'second', 'third'].map((name) => newDocument(name));
    if (!(first && second && third)) throw new Error('There are three.');
    const changes = [
      () => ingest(store, first, newChunks(300, 'keel')),
      () => ingest(store, second, newChunks(300, 'keel of a boat')),
      () => ingest(store, third, newChunks(2, 'keel and keel')),
      () => store.corpus.setMetadata(third.id, { title: 'Keel' }, 'merge'),
      () => store.corpus.remove({ kind: 'compare', field: 'id', op: 'eq', value: second.id }),
    ];
    const sizes: (number | undefined)[] = [];
    for (const change of changes) {
      await change();
      const { count, postings } = (await readWith(kept)) ?? {};
      const anew = await readWith(createSearchCache());
      expect([count, postings]).toEqual([anew?.count, anew?.postings]);
      sizes.push(postings?.keys.length);
    }
    expect(sizes).toEqual([300, 600, 602, 602, 302]);
  });

  it('of an earlier state of the index are not used for a later one without their lengths', async () => {
    const { store, reader } = await openBoth();
    await ingest(store, newDocument('first'), newChunks(1, 'keel'));
    const cache = createSearchCache();
    const termsIn = async (database: Queries) =>
      cache.terms.chunk_terms.at((await readState(database, 'begin;')).indexes.chunk_terms);
    await reader.connection().execute(async (one) => {
      const before = await termsIn(one);
      await ingest(store, newDocument('second'), newChunks(1, 'gull'));
      await reader.connection().execute(async (other) => {
        const after = await termsIn(other);
        await before.fetch(within(one), ['keel']);
        await after.fetch(within(other), ['keel']);
        const [key = 0] = after.get('keel')?.postings?.keys ?? [];
        expect(after.chunks.lengths[key]).toBeGreaterThan(0);
        await sql`commit`.execute(other);
      });
      await sql`commit`.execute(one);
    });
  });
});

it('assumes the state that two searches in a row saw, until this server writes', () => {
  const states = createKnownStates();
  const stateOf = (name: string): State => ({
    name,
    content: 1,
    indexes: { chunk_terms: EMPTY, document_terms: EMPTY },
  });
  states.note(stateOf('1'));
  expect(states.likely()).toBeUndefined();
  states.note(stateOf('1'));
  expect(states.likely()?.name).toBe('1');
  states.forget();
  expect(states.likely()).toBeUndefined();
  states.note(stateOf('2'));
  expect(states.likely()).toBeUndefined();
});

const EMPTY = { version: 1, removed: 1, entries: 0, length: 0 };

it('caches few filters whose chunks have large keys', () => {
  const { filters } = createSearchCache();
  const names = Array.from({ length: 200 }, (_, number) => String(number));
  for (const name of names) filters.set(name, keySet([10_000_000]));
  // Each has 1.25 MB.
  expect(names.filter((name) => filters.has(name)).length).toBeLessThan(60);
});

async function change(store: SqlStore, pick: <Value>(list: readonly Value[]) => Value, chance: number) {
  const document = newDocument(`log ${Math.floor(chance * 12)}`);
  if (chance < 0.2) {
    await store.corpus.remove({ kind: 'compare', field: 'id', op: 'eq', value: document.id });
    return;
  }
  const text = Array.from({ length: 5 }, () => pick(WORDS)).join(' ');
  await store.corpus.begin({ ...document, metadata: { deck: pick([1, 2]) } }, { replace: true });
  await store.corpus.stage(document.id, newChunks(2, text));
  await store.corpus.publish(document.id, publication(text));
}

async function searches({ chunks }: SqlStore) {
  const deck: Filter = { kind: 'compare', field: 'metadata.deck', op: 'eq', value: 1 };
  const found = [];
  for (const filter of [everything, deck]) {
    for (const text of [...WORDS, 'ferry tide', 'lantren']) {
      const hits = await chunks.matching({ text, filter, limit: 20 });
      found.push(hits.map(({ id, score }) => [text, id, score]));
    }
  }
  return found;
}

it('orders terms by code points', () => {
  const terms = ['a', 'ab', '\u{fb01}', '\u{1f600}', '\u{10000}', 'z', '\u{d7ff}', ''];
  const inBytes = [...terms].sort((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));
  expect([...terms].sort(compareCodePoints)).toEqual(inBytes);
});
