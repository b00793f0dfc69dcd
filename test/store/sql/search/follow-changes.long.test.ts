import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../../../src/access/principal.ts';
import type { Filter } from '../../../../src/documents/filter.ts';
import { defaultCollectionId, documentId } from '../../../../src/documents/ids.ts';
import { ServiceError } from '../../../../src/errors.ts';
import type { OperationWatch } from '../../../../src/store/sql/operation-watch.ts';
import { compileChunkFilter } from '../../../../src/store/sql/search/compile-filter.ts';
import { nearestExactly } from '../../../../src/store/sql/search/nearest-chunks.ts';
import { type Reading, withSnapshot } from '../../../../src/store/sql/search/read-snapshot.ts';
import { resolveFilter } from '../../../../src/store/sql/search/resolve-filter.ts';
import { sqliteSql } from '../../../../src/store/sql/sqlite/sqlite-sql.ts';
import { currentSpace } from '../../../../src/store/sql/vector-spaces/space-rows.ts';
import {
  direction,
  ingest,
  newChunk,
  newDocument,
  openTestStore,
  publication,
  type TestStore,
  testSpace,
} from '../../../support/store.ts';

const patient: OperationWatch = { check: () => undefined };
const home = defaultCollectionId(defaultAdmin.userId);
const other = documentId('another collection', defaultAdmin.userId);
const names = ['one', 'two', 'three', 'four'];
const idOf = (name: string) => newDocument(name).id;

const filters: readonly Filter[] = [
  { kind: 'compare', field: 'metadata.colour', op: 'eq', value: 'red' },
  { kind: 'compare', field: 'title', op: 'ne', value: 'two' },
  { kind: 'overlap', field: 'collection_ids', values: [other] },
  { kind: 'like', field: 'text', pattern: '%granite%', caseSensitive: false },
  { kind: 'compare', field: 'summary', op: 'eq', value: 'short' },
  { kind: 'in', field: 'document_id', values: [idOf('one'), idOf('three')] },
];

function openReader(store: TestStore): DatabaseSync {
  const database = new DatabaseSync(store.path, { readOnly: true });
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

const compiled = (filter: Filter) => compileChunkFilter(sqliteSql, filter);
const inside = <Result>(database: DatabaseSync, look: (reading: Reading) => Result, watch = patient): Result =>
  withSnapshot(database, watch, look);

/** What each filter lets pass, and the nearest among it, on this connection. */
async function passing(database: DatabaseSync, store: TestStore) {
  const space = await currentSpace(store.sqlite.reader);
  if (space === undefined) throw new Error('The corpus has no space.');
  const query = { space, vector: direction(1), measure: 'cosine_distance', limit: 50, shown: 50 } as const;
  return inside(database, (reading) =>
    filters.map((filter) => ({
      keys: resolveFilter(reading, compiled(filter))?.keys.keys,
      nearest: nearestExactly(reading, { ...query, filter: compiled(filter) }).best,
    })),
  );
}

type Step = (store: TestStore) => Promise<unknown>;

const someChunk = async ({ corpus }: TestStore, name: string) =>
  (await corpus.chunksOf(idOf(name), { offset: 0, limit: 5 }).catch(() => ({ items: [] }))).items[0];

const texts = fc.array(fc.constantFrom('granite blocks', 'a lamp', 'oil for lamps', 'granite tower'), {
  minLength: 1,
  maxLength: 4,
});
const colour = fc.constantFrom('red', 'blue');
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ name: fc.constantFrom(...names), said: texts, colour, title: fc.constantFrom(...names) }).map(
    ({ name, said, colour: painted, title }): Step =>
      async (store) => {
        const document = newDocument(name, { metadata: { colour: painted }, title });
        await store.corpus.begin(document, { replace: true });
        await store.corpus.stage(
          document.id,
          said.map((text, order) => newChunk(order, text)),
        );
        const summary = said.length > 2 ? 'short' : null;
        await store.corpus.publish(document.id, publication(said.join('\n'), { summary }));
      },
  ),
  fc.tuple(fc.constantFrom(...names), colour).map(
    ([name, painted]): Step =>
      ({ corpus }) =>
        corpus.setMetadata(idOf(name), { colour: painted }, 'merge'),
  ),
  fc.tuple(fc.constantFrom(...names), colour).map(
    ([name, painted]): Step =>
      async (store) => {
        const chunk = await someChunk(store, name);
        if (chunk) await store.corpus.editChunk(chunk.id, { metadata: { colour: painted } });
      },
  ),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom('granite', 'a lamp')).map(
    ([name, text]): Step =>
      async (store) => {
        const chunk = await someChunk(store, name);
        const words = { text, vector: direction(7), embeddedIn: testSpace };
        if (chunk) await store.corpus.editChunk(chunk.id, { words });
      },
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      async (store) => {
        const chunk = await someChunk(store, name);
        if (chunk) await store.corpus.removeChunk(chunk.id);
      },
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      ({ corpus }) =>
        corpus.remove({ kind: 'in', field: 'document_id', values: [idOf(name)] }),
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      ({ collections }) =>
        collections.addDocuments(other, [idOf(name)]),
  ),
  fc.constantFrom(...names).map(
    (name): Step =>
      ({ collections }) =>
        collections.removeDocuments(other, [idOf(name)]),
  ),
);

async function storeWithCollections(): Promise<TestStore> {
  const store = await openTestStore();
  for (const [id, name] of [
    [home, 'home'],
    [other, 'other'],
  ] as const) {
    await store.collections.ensure({ id, ownerId: defaultAdmin.userId, name, description: null });
  }
  return store;
}

describe('a filter that is used again after writes', () => {
  it('passes the same chunks as if it were resolved again, whatever was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 8 }), async (written) => {
        const store = await storeWithCollections();
        const lasting = openReader(store);
        for (const name of names.slice(0, 3)) await ingest(store, newDocument(name), [newChunk(0), newChunk(1)]);
        await passing(lasting, store);
        for (const step of written) {
          await step(store).catch((error: unknown) => {
            if (!(error instanceof ServiceError)) throw error;
          });
          const fresh = openReader(store);
          expect(await passing(lasting, store)).toEqual(await passing(fresh, store));
          fresh.close();
        }
        lasting.close();
        await store.close();
      }),
      { numRuns: 3 },
    );
  });

  const red = compiled({ kind: 'compare', field: 'metadata.colour', op: 'eq', value: 'red' });

  it('is not resolved again, and reads no vectors again, when other chunks have changed', async () => {
    const store = await storeWithCollections();
    for (const name of names)
      await ingest(store, newDocument(name, { metadata: { colour: name === 'one' ? 'red' : 'blue' } }), [newChunk(0)]);
    const lasting = openReader(store);
    const before = inside(lasting, (reading) => resolveFilter(reading, red));
    await passing(lasting, store);
    expect(before?.vectors?.found).toHaveLength(1);
    const { vectors } = before ?? {};
    await store.corpus.setMetadata(idOf('two'), { colour: 'green' }, 'merge');
    await ingest(store, newDocument('five'), [newChunk(0)]);
    const after = inside(lasting, (reading) => resolveFilter(reading, red));
    expect(after).toBe(before);
    expect(after?.vectors).toBe(vectors);
    await store.corpus.setMetadata(idOf('two'), { colour: 'red' }, 'merge');
    expect(inside(lasting, (reading) => resolveFilter(reading, red))?.keys.size).toBe(2);
    expect(after?.vectors).toBeUndefined();
  });

  it('is resolved again when more has changed than is recorded', async () => {
    const store = await storeWithCollections();
    await ingest(store, newDocument('one', { metadata: { colour: 'red' } }), [newChunk(0)]);
    const lasting = openReader(store);
    const before = inside(lasting, (reading) => resolveFilter(reading, red));
    const writer = new DatabaseSync(store.path, { timeout: 10_000 });
    const change = writer.prepare("update documents set metadata = '{}' where id = ?");
    writer.exec('begin');
    for (let turn = 0; turn <= 1_001; turn++) change.run(idOf('one'));
    writer.exec('commit');
    expect(writer.prepare('select count(*) as n from filter_changes').get()).toEqual({ n: 1_000 });
    writer.close();
    const after = inside(lasting, (reading) => resolveFilter(reading, red));
    expect(after).not.toBe(before);
    expect(after?.keys.size).toBe(0);
  });

  it('is not used in an inconsistent state after an aborted operation', async () => {
    const store = await storeWithCollections();
    const painted = (name: string) => newDocument(name, { metadata: { colour: 'red' } });
    await ingest(store, painted('one'), [newChunk(0)]);
    await ingest(store, painted('two'), [newChunk(0)]);
    await ingest(store, painted('three'), [newChunk(0)]);
    const lasting = openReader(store);
    inside(lasting, (reading) => resolveFilter(reading, red));
    for (let last = 1; last < 12; last++) {
      await store.corpus.setMetadata(idOf('one'), { colour: last % 2 === 0 ? 'red' : 'blue' }, 'merge');
      await store.corpus.remove({ kind: 'in', field: 'document_id', values: [idOf('two')] });
      await ingest(store, painted('two'), [newChunk(0)]);
      let left = last;
      const ending: OperationWatch = {
        check() {
          if (--left === 0) throw new ServiceError('cancelled', 'Gone.');
        },
      };
      try {
        inside(lasting, (reading) => resolveFilter(reading, red), ending);
      } catch (error) {
        expect(error).toMatchObject({ code: 'cancelled' });
      }
      const fresh = openReader(store);
      const keysOn = (database: DatabaseSync) => inside(database, (reading) => resolveFilter(reading, red)?.keys.keys);
      expect(keysOn(lasting)).toEqual(keysOn(fresh));
      expect(keysOn(lasting)?.length).toBeGreaterThan(0);
      fresh.close();
    }
  });
});
