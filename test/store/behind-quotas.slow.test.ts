import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Filter } from '../../src/documents/filter.ts';
import { documentId } from '../../src/documents/ids.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import type { EmbeddedChroma } from '../../src/store/chroma/embedded-chroma.ts';
import { createRemoteChroma } from '../../src/store/chroma/remote-chroma.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openStore, type SqlStore } from '../../src/store/sql/open-store.ts';
import type { VectorIndex } from '../../src/store/vector-index.ts';
import { type ChromaCloud, startChromaCloud } from '../support/chroma-cloud.ts';
import { silentLog, startEmbeddedChroma } from '../support/embedded-chroma.ts';
import { describeEngines, postgresDatabase } from '../support/engines.ts';
import { embeddingText, ingest, newChunk, newDocument } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const QUOTAS = { results: 300, records: 300, calls: 10, predicates: 8 };
const DIMENSIONS = 8;
/** More than is compared exactly. */
const MINE = 2_100;
const THEIRS = 500;
const me = '11111111-1111-4111-8111-111111111111';
const them = '22222222-2222-4222-8222-222222222222';
const everything: Filter = { kind: 'all' };
const ownedByMe: Filter = { kind: 'compare', field: 'owner_id', op: 'eq', value: me };
const never = new AbortController().signal;

const vectorOf = (number: number): Float32Array => {
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, axis) => Math.sin((number + 1) * Math.sqrt(axis + 2)));
  const length = Math.hypot(...vector);
  return vector.map((each) => each / length);
};
/** Passage `number` has the vector of that number. */
const passages = (from: number, count: number) =>
  Array.from({ length: count }, (_, order) => ({
    ...newChunk(order, `passage ${from + order}`),
    vector: vectorOf(from + order),
  }));

const embedder = (name: string): EmbeddingModel => ({
  name,
  isLexical: false,
  space: async () => ({ embedder: name, version: '1', dimensions: DIMENSIONS }),
  embed: async (texts) => texts.map((text) => vectorOf(Number(/passage (\d+)/.exec(text)?.[1] ?? 0))),
});

describeEngines('A corpus behind the quotas of Chroma Cloud', ({ name }) => {
  let server: EmbeddedChroma;
  beforeAll(async () => {
    server = await startEmbeddedChroma();
  });
  afterAll(() => server.close());

  async function startCloud(): Promise<ChromaCloud> {
    if (server.server.kind !== 'running') throw new Error('It should run.');
    const cloud = await startChromaCloud(server.server.url);
    onTestFinished(() => cloud.close());
    return cloud;
  }

  let count = 0;
  const nextPrefix = () => `test${++count}`;

  function connect({ url }: ChromaCloud, prefix: string, quotas = {}): VectorIndex {
    return createRemoteChroma({ url, database: 'default_database', quotas, prefix, log: silentLog });
  }

  async function openOver(index: VectorIndex, place: string): Promise<SqlStore> {
    const store =
      name === 'SQLite'
        ? await openStore({ path: place, index, embeddingText })
        : await openPostgresStore({ url: place, index, embeddingText });
    onTestFinished(() => store.close());
    return store;
  }

  const newPlace = async () =>
    name === 'SQLite' ? join(await temporaryFolder(), 'citewell.db') : await postgresDatabase();

  async function find(store: SqlStore, number: number, filter: Filter, limit = 10) {
    const notes: string[] = [];
    const query = { vector: vectorOf(number), measure: 'cosine_distance', filter, limit } as const;
    const hits = await store.chunks.nearest({ ...query, firstListLength: 200, note: (text) => notes.push(text) });
    return { texts: hits.map(({ text }) => text), notes };
  }

  /** Passages by their distance, in full. */
  const nearestOf = (number: number, from: number, to: number, limit = 10) => {
    const asked = vectorOf(number);
    const distance = (other: number) =>
      1 - vectorOf(other).reduce((sum, each, axis) => sum + each * (asked[axis] ?? 0), 0);
    const all = Array.from({ length: to - from }, (_, index) => from + index);
    return all
      .toSorted((one, two) => distance(one) - distance(two))
      .slice(0, limit)
      .map((each) => `passage ${each}`);
  };

  it('is ingested, searched, moved between collections, re-embedded, deleted from and repaired', async () => {
    const cloud = await startCloud();
    const prefix = nextPrefix();
    const store = await openOver(connect(cloud, prefix, QUOTAS), await newPlace());
    await store.spaces.claim(await embedder('test/waves').space());
    const mine = newDocument('mine', { ownerId: me, id: documentId('mine', me) });
    const theirs = newDocument('theirs', { ownerId: them, id: documentId('theirs', them) });
    await ingest(store, mine, passages(0, MINE));
    await ingest(store, theirs, passages(MINE, THEIRS));
    await store.maintenance.audit();
    expect(store.maintenance.state()).toEqual({ kind: 'in_step' });

    expect(await find(store, 17, everything)).toEqual({ texts: nearestOf(17, 0, MINE + THEIRS), notes: [] });
    const before = cloud.calls.length;
    expect(await find(store, 2_400, ownedByMe)).toEqual({ texts: nearestOf(2_400, 0, MINE), notes: [] });
    expect(cloud.calls.slice(before)).toEqual(['query 260']);

    const id = '33333333-3333-4333-8333-333333333333';
    await store.collections.ensure({ id, ownerId: me, name: 'waves' });
    const inWaves: Filter = { kind: 'overlap', field: 'collection_ids', values: [id] };
    await store.collections.addDocuments(id, [mine.id]);
    expect((await find(store, 5, inWaves)).texts).toEqual(nearestOf(5, 0, MINE));
    await store.maintenance.replayOutbox();
    const moved = cloud.calls.length;
    expect(await find(store, 5, inWaves)).toEqual({ texts: nearestOf(5, 0, MINE), notes: [] });
    expect(cloud.calls.slice(moved)).toEqual(['query 260']);
    await store.collections.remove(id);
    expect((await find(store, 5, inWaves)).texts).toEqual([]);
    await store.maintenance.replayOutbox();

    const [space] = await store.spaces.list();
    const raw = await connect(cloud, prefix, QUOTAS).open(space?.collection ?? '', DIMENSIONS);
    await raw.remove((await raw.keys({ offset: 0, limit: 10_000 })).slice(0, 350));
    await store.maintenance.audit();
    expect(await raw.count()).toBe(MINE + THEIRS);
    expect((await find(store, 3, ownedByMe)).texts).toEqual(nearestOf(3, 0, MINE));

    for await (const _ of store.spaces.reindex(embedder('test/waves-2'), never));
    await store.maintenance.audit();
    expect((await find(store, 9, ownedByMe)).texts).toEqual(nearestOf(9, 0, MINE));

    await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: theirs.id });
    await store.maintenance.replayOutbox();
    expect((await find(store, 2_400, everything)).texts).toEqual(nearestOf(2_400, 0, MINE));
    expect(cloud.refused).toEqual([]);
    expect(cloud.most.write).toBeGreaterThan(1);
    expect(Math.max(cloud.most.write, cloud.most.read)).toBeLessThanOrEqual(10);
  });

  it('adds the access scopes of its chunks to an index that was written without them', async () => {
    const cloud = await startCloud();
    const [place, prefix] = [await newPlace(), nextPrefix()];
    const first = await openOver(connect(cloud, prefix), place);
    await first.spaces.claim(await embedder('test/waves').space());
    await ingest(first, newDocument('mine', { ownerId: me, id: documentId('mine', me) }), passages(0, 400));
    await ingest(first, newDocument('theirs', { ownerId: them, id: documentId('theirs', them) }), passages(400, 50));
    await first.maintenance.audit();
    const [space] = await first.spaces.list();
    await first.close();

    const index = connect(cloud, prefix, QUOTAS);
    const collection = await index.open(space?.collection ?? '', DIMENSIONS);
    expect(collection.scopes?.areComplete()).toBe(false);
    const store = await openOver(index, place);
    await store.maintenance.audit();
    expect(collection.scopes?.areComplete()).toBe(true);
    const hits = await collection.nearest(vectorOf(1), 300, never, [{ owners: [them], collections: [] }]);
    expect(hits).toHaveLength(50);
  });
});
