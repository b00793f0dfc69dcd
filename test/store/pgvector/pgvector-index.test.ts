import { sql } from 'kysely';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { nearestIndexed } from '../../../src/store/pgvector/nearest-indexed.ts';
import { openPgvector } from '../../../src/store/pgvector/pgvector-index.ts';
import { openPostgres } from '../../../src/store/postgres/open-postgres.ts';
import { openConnections } from '../../../src/store/postgres/postgres-dialect.ts';
import { vectorIndexContract } from '../../contracts/vector-index.ts';
import { describePgvector, describePostgres, pgvectorDatabase, postgresDatabase } from '../../support/engines.ts';
import { openPgvectorStore } from '../../support/pgvector-store.ts';
import { direction, ingest, newChunks, newDocument } from '../../support/store.ts';
import { directionOf, ingestTexts, timestamp } from '../sql/versions/ingest-texts.ts';

/** Vectors in as many directions. */
const around = (key: number): Float32Array =>
  Float32Array.from({ length: 8 }, (_, at) => Math.sin((key + 1) * (at + 1)));

describePgvector('The index', () => {
  let drop = async () => {};
  afterAll(() => drop());

  vectorIndexContract('pgvector', async () => {
    const url = await pgvectorDatabase((end) => {
      drop = end;
    });
    return openPgvector({ url });
  });

  it('indexes up to 4000 dimensions and compares all vectors beyond', async () => {
    const url = await pgvectorDatabase();
    const warnings: string[] = [];
    const index = await openPgvector({ url, log: { warn: (_, message) => void warnings.push(message) } });
    onTestFinished(() => index.close());
    for (const dimensions of [2_000, 2_001, 4_001]) {
      const collection = await index.open(`of-${dimensions}`, dimensions);
      const towards = (at: number) => Float32Array.from({ length: dimensions }, (_, each) => (each === at ? 1 : 0.001));
      await collection.upsert([1, 2, 3].map((key) => ({ key, vector: towards(key) })));
      await Promise.all([collection.settle?.(), collection.settle?.()]);
      const [hit] = await collection.nearest(towards(2), 1);
      expect(hit?.key).toBe(2);
      expect(hit?.distance).toBeCloseTo(0, 6);
    }
    const database = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => database.destroy());
    const { rows } = await sql<{ opclass: string }>`
      select (regexp_match(indexdef, '\\w+_ops'))[1] as opclass from pg_indexes where indexdef like '%hnsw%'
      order by 1`.execute(database);
    expect(rows.map(({ opclass }) => opclass)).toEqual(['halfvec_cosine_ops', 'halfvec_cosine_ops']);
    expect(warnings).toEqual([expect.stringContaining('at most 4000 dimensions')]);
  });

  it('builds the graph from all vectors once they are there, and again after an interrupted building', async () => {
    const url = await pgvectorDatabase();
    const index = await openPgvector({ url });
    onTestFinished(() => index.close());
    const database = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => database.destroy());
    const graphs = async () => {
      const { rows } = await sql<{ name: string; valid: number }>`
        select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_am a on a.oid = c.relam where a.amname = 'hnsw'`.execute(database);
      return rows;
    };
    const collection = await index.open('letters', 8);
    await collection.upsert(Array.from({ length: 300 }, (_, key) => ({ key: key + 1, vector: around(key) })));
    expect(await graphs()).toEqual([]);
    expect((await collection.nearest(around(7), 1)).map(({ key }) => key)).toEqual([8]);
    await collection.settle?.();
    const [graph] = await graphs();
    expect(graph?.valid).toBe(1);
    expect((await collection.nearest(around(7), 1)).map(({ key }) => key)).toEqual([8]);
    await sql`update pg_index set indisvalid = false where indexrelid = to_regclass(${graph?.name})`.execute(database);
    await collection.settle?.();
    expect((await graphs()).map(({ valid }) => valid)).toEqual([1]);
  });

  it('replaces the graph of an earlier version, and finds the nearest before and after', async () => {
    const url = await pgvectorDatabase();
    const wide = { embedder: 'test/wide', version: '1', dimensions: 128 };
    const vectorOf = (key: number) => Float32Array.from({ length: 128 }, (_, at) => Math.sin((key + 1) * (at + 1)));
    const store = await openPgvectorStore(url, {}, wide);
    const chunks = newChunks(40).map((chunk, key) => ({ ...chunk, vector: vectorOf(key) }));
    await ingest(store, newDocument('letter'), chunks);
    await store.maintenance.audit();
    const database = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => database.destroy());
    const graphs = async () => {
      const { rows } = await sql<{ name: string }>`
        select indexname as name from pg_indexes where indexdef like '%hnsw%'`.execute(database);
      return rows.map(({ name }) => name);
    };
    const [own] = await graphs();
    const table = own?.replace(/_half$/, '');
    const earlier = `create index ${table}_graph on ${table} using hnsw (vector vector_cosine_ops)`;
    await sql.raw(`drop index ${own}; ${earlier}`).execute(database);

    const again = await openPgvectorStore(url, {}, wide);
    const [space] = await again.sqlite.reader.selectFrom('vector_spaces').selectAll().execute();
    if (space === undefined) throw new Error('There is no space.');
    const query = {
      space,
      vector: vectorOf(7.5),
      measure: 'cosine_distance',
      filter: null,
      limit: 5,
      shown: 5,
    } as const;
    const throughGraph = { ...query, scan: { kind: 'graph', expected: 5 }, others: [] } as const;
    const find = async () => (await again.sqlite.search.nearestIndexed?.(throughGraph))?.best.keys;
    const first = await find();
    expect(first).toEqual((await again.sqlite.search.call('nearestExactly', query)).best.keys);
    expect(first).toHaveLength(5);
    await again.maintenance.audit();
    expect(await graphs()).toEqual([own]);
    expect(await find()).toEqual(first);
  });

  it('ranks a zero vector as orthogonal to all others', async () => {
    const index = await openPgvector({ url: await pgvectorDatabase() });
    onTestFinished(() => index.close());
    const collection = await index.open('zero', 2);
    await collection.upsert([
      { key: 1, vector: Float32Array.of(-1, 0) },
      { key: 2, vector: Float32Array.of(0, 0) },
      { key: 3, vector: Float32Array.of(1, 0) },
    ]);
    const found = await collection.nearest(Float32Array.of(1, 0), 3);
    expect(found.map(({ key, distance }) => [key, distance])).toEqual([
      [3, 0],
      [2, 1],
      [1, 2],
    ]);
    expect((await collection.nearest(Float32Array.of(0, 0), 3)).map(({ key }) => key)).toEqual([1, 2, 3]);
  });

  it('is used by all servers of a database, or by none', async () => {
    const url = await pgvectorDatabase();
    const one = await openPostgres({ url, readers: 1, nearestIndexed });
    onTestFinished(one.close);
    await expect(openPostgres({ url, readers: 1 })).rejects.toThrow(
      /Another server uses .* with CITEWELL_VECTOR_INDEX=pgvector, this one has chroma\./,
    );
  });

  it('is filled from the records after another one was used', async () => {
    const url = await pgvectorDatabase();
    const store = await openPgvectorStore(url);
    await ingest(store, newDocument('letter'), newChunks(3));
    const [before] = await store.spaces.list();
    expect(await store.index.list()).toEqual([before?.collection]);
    await store.close();

    const elsewhere = await openPostgres({ url, readers: 1 });
    const { rows } = await sql`
      select 1 from pg_tables where starts_with(tablename, 'vector_index_')`.execute(elsewhere.reader);
    expect(rows).toEqual([]);
    await elsewhere.close();

    const again = await openPgvectorStore(url);
    await again.maintenance.audit();
    const [space] = await again.spaces.list();
    expect(space?.collection).not.toBe(before?.collection);
    expect(await (await again.index.open(space?.collection ?? '', 4)).count()).toBe(3);
    const query = { vector: direction(0), measure: 'cosine_distance', filter: { kind: 'all' }, limit: 5 } as const;
    expect(await again.chunks.nearest(query)).toHaveLength(3);
  });

  it('finds the same again, and what was added since', async () => {
    const store = await openPgvectorStore(await pgvectorDatabase());
    await ingest(store, newDocument('letter'), newChunks(3));
    await store.maintenance.audit();
    const near = { vector: direction(0), measure: 'cosine_distance', filter: { kind: 'all' }, limit: 9 } as const;
    const find = async () => (await store.chunks.nearest(near)).map(({ id, score }) => [id, score.toFixed(6)]);
    const first = await find();
    expect(first).toHaveLength(3);
    expect(await find()).toEqual(first);
    expect(await find()).toEqual(first);
    await ingest(store, newDocument('log'), newChunks(2));
    expect(await find()).toHaveLength(5);
    expect(await find()).toHaveLength(5);
  });

  it('finds passages of an earlier version that the present one shares with it', async () => {
    const store = await openPgvectorStore(await pgvectorDatabase());
    const letter = newDocument('letter');
    await ingestTexts(store, newDocument('log'), ['The tide was low.']);
    await ingestTexts(store, letter, ['The whale was white.', 'The ship was old.']);
    const asOf = await timestamp();
    await ingestTexts(store, letter, ['The whale was white.', 'The ship was new.']);
    await store.maintenance.replayOutbox();
    const near = { vector: directionOf('The whale was white.'), measure: 'cosine_distance', limit: 1 } as const;
    const found = await store.chunks.nearest({ ...near, filter: { kind: 'all' }, asOf });
    expect(found.map(({ text }) => text)).toEqual(['The whale was white.']);
  });

  it('refuses a database without the extension, and names the statement that creates it', async () => {
    const url = (await pgvectorDatabase()).replace(/test_\w+/, 'postgres');
    await expect(openPgvector({ url })).rejects.toThrow(
      /needs pgvector 0\.8 or newer .* it is not there yet\. .* superuser .* create extension vector;/,
    );
  });
});

describePostgres('The index', () => {
  it('refuses a server without the extension', async () => {
    const url = await postgresDatabase();
    const database = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => database.destroy());
    const { rows } = await sql`select 1 from pg_available_extensions where name = 'vector'`.execute(database);
    if (rows.length > 0) return;
    await expect(openPgvector({ url })).rejects.toThrow(
      /its server does not have it\. Install the package of pgvector/,
    );
  });
});
