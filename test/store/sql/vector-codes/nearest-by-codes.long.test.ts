import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import type { DistanceMeasure } from '../../../../src/store/chunk-search.ts';
import { distanceFrom } from '../../../../src/store/distance.ts';
import { memoryVectorIndex } from '../../../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../../../src/store/postgres/open-postgres-store.ts';
import type { Reading } from '../../../../src/store/sql/search/read-snapshot.ts';
import { readCodes } from '../../../../src/store/sql/vector-codes/read-codes.ts';
import { describeEngines, describePostgres, type Engine, postgresDatabase } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument, openTestStore, publication, type TestStore } from '../../../support/store.ts';

/** More than are compared exactly in any case. */
const CHUNKS = 2_600;

/** Four numbers in no visible order, as a sine of great arguments gives them. */
const scattered = (number: number) => Float32Array.from([1, 2, 3, 4], (place) => Math.sin(number * place * 7_919.7));

async function openWithoutIndex(engine: Pick<Engine, 'openTestStore'>): Promise<TestStore> {
  const store = await engine.openTestStore();
  const chunks = Array.from({ length: CHUNKS }, (_, order) =>
    newChunk(order, `passage ${order}`, { vector: scattered(order), metadata: { part: order % 2 } }),
  );
  await ingest(store, newDocument('many'), chunks);
  store.index.simulateOutage();
  return store;
}

async function find(store: TestStore, vector: Float32Array, filter: Filter = everything, limit = 10) {
  const found = await store.chunks.nearest({ vector, measure: 'cosine_distance', filter, limit });
  return found.map(({ text }) => text);
}

function expected(vector: Float32Array, measure: DistanceMeasure, numbers: readonly number[]): string[] {
  const distance = distanceFrom(measure, vector);
  return numbers
    .map((number) => ({ number, distance: distance(scattered(number)) }))
    .sort((one, two) => one.distance - two.distance || one.number - two.number)
    .slice(0, 10)
    .map(({ number }) => `passage ${number}`);
}

const all = Array.from({ length: CHUNKS }, (_, number) => number);

describeEngines('a search without the vector index', (engine) => {
  it('finds what an exhaustive comparison finds, with a filter and another measure as well', async () => {
    const store = await openWithoutIndex(engine);
    for (const query of [0.5, 17.25, 930.7]) {
      const vector = scattered(query);
      expect(await find(store, vector)).toEqual(expected(vector, 'cosine_distance', all));
      const half: Filter = { kind: 'compare', field: 'metadata.part', op: 'eq', value: 1 };
      const odd = all.filter((number) => number % 2 === 1);
      expect(await find(store, vector, half)).toEqual(expected(vector, 'cosine_distance', odd));
      const other = await store.chunks.nearest({ vector, measure: 'l1_distance', filter: everything, limit: 10 });
      expect(other.map(({ text }) => text)).toEqual(expected(vector, 'l1_distance', all));
    }
  });

  it('says that the stored vectors were searched, and not that all were compared', async () => {
    const store = await openWithoutIndex(engine);
    const notes: string[] = [];
    const query = { vector: scattered(0.5), measure: 'cosine_distance', filter: everything, limit: 10 } as const;
    await store.chunks.nearest({ ...query, note: (note) => void notes.push(note) });
    expect(notes).toEqual([expect.stringContaining('the stored vectors were searched')]);
  });

  it('finds what was written since, and not what was replaced or deleted', async () => {
    const store = await openWithoutIndex(engine);
    const vector = Float32Array.of(1, 1, 1, 1);
    const near = (text: string) => newChunk(0, text, { vector });
    await find(store, vector);
    await ingest(store, newDocument('new'), [near('new')]);
    expect((await find(store, vector))[0]).toBe('new');
    await store.corpus.begin(newDocument('new'), { replace: true });
    await store.corpus.stage(newDocument('new').id, [near('newer')]);
    expect((await find(store, vector))[0]).toBe('new');
    await store.corpus.publish(newDocument('new').id, publication('newer'));
    expect((await find(store, vector)).filter((text) => text.startsWith('new'))).toEqual(['newer']);
    await store.corpus.remove({ kind: 'compare', field: 'title', op: 'eq', value: 'new' });
    expect((await find(store, vector)).filter((text) => text.startsWith('new'))).toEqual([]);
    const left = await store.sqlite.reader.selectFrom('chunk_vectors').select('chunk_key').execute();
    expect(left).toHaveLength(CHUNKS);
  });

  it('pages through all chunks without gaps', async () => {
    const store = await openWithoutIndex(engine);
    const seen = new Set<string>();
    let before: readonly string[] = [];
    for (const limit of [10, 50, 60, 400, 500, CHUNKS]) {
      const found = await find(store, scattered(0.5), everything, limit);
      expect(found).toHaveLength(limit);
      expect(found.slice(0, before.length)).toEqual(before);
      for (const text of found) seen.add(text);
      before = found;
    }
    expect(seen.size).toBe(CHUNKS);
  });
});

describe('codes on SQLite', () => {
  it('reads the codes in the order of their keys, also where the database has no statistics', async () => {
    const store = await openTestStore();
    const database = new DatabaseSync(store.path, { readOnly: true });
    onTestFinished(() => database.close());
    const steps: string[] = [];
    const row = (query: string, ...values: SQLInputValue[]) => {
      for (const { detail } of database.prepare(`explain query plan ${query}`).all(...values))
        steps.push(String(detail));
      return query.includes('max(key)') ? [1, 10] : undefined;
    };
    readCodes({ row } as unknown as Reading, { space: { key: 1, dimensions: 4 }, after: 0, limit: 10 });
    expect(steps).toContain('SEARCH vector_codes USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)');
  });
});

describePostgres('codes', () => {
  it('are added to vectors that a server of the version before has stored', async () => {
    const url = await postgresDatabase();
    const openStore = async () => {
      const store = await openPostgresStore({
        url,
        index: memoryVectorIndex(),
        embeddingText: ({ text }) => text,
        readers: 2,
      });
      onTestFinished(() => store.close());
      return store;
    };
    const store = await openStore();
    await store.spaces.claim({ embedder: 'test/angles', version: '1', dimensions: 4 });
    const chunks = [0, 1, 2].map((order) => newChunk(order, `passage ${order}`, { vector: scattered(order) }));
    await ingest(store, newDocument('few'), chunks);
    const codes = async () =>
      (
        await sql<{ chunk_key: number; code: Uint8Array }>`
        select chunk_key, code from vector_codes order by chunk_key`.execute(store.sqlite.reader)
      ).rows;
    const before = await codes();
    expect(before).toHaveLength(3);
    await sql`delete from vector_codes where chunk_key <> ${before[1]?.chunk_key}`.execute(store.sqlite.writer);
    await store.close();
    const again = await openStore();
    await again.maintenance.audit();
    const rows = await again.sqlite.reader
      .selectFrom('vector_codes')
      .select(['chunk_key', 'code'])
      .orderBy('chunk_key')
      .execute();
    expect(rows).toEqual(before);
  });
});
