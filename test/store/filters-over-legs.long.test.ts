import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Metadata } from '../../src/documents/document.ts';
import { everything, type Filter } from '../../src/documents/filter.ts';
import { newId } from '../../src/documents/ids.ts';
import { readFilter } from '../../src/documents/read-filter.ts';
import { describeEngines } from '../support/engines.ts';
import { fits, type OracleRecord } from '../support/filter-oracle.ts';
import { direction, newChunk, newDocument, publication } from '../support/store.ts';

describeEngines('Filters', ({ openTestStore }) => {
  const ODD_NAMES = [
    'year',
    'na"me',
    "o'neil",
    'ünïcode 日本',
    "x'); drop table chunks; --",
    '") or 1=1 --',
    '[0]',
    '#-1',
    '__proto',
    'constructor',
    '%',
    ' spaced ',
  ];
  const NESTED = ['deep.inner', 'deep.in"ner.most', 'deep.missing'];

  const text = fc.constantFrom(
    '',
    'a',
    'A',
    'ab',
    'a_b',
    'a%',
    'Ü',
    'ü',
    '1',
    '1.0',
    '-2',
    'true',
    "'",
    '"',
    '日本',
    '😀x',
  );
  const number = fc.constantFrom(-2, 0, 1, 1.5, 2024);
  const scalar = fc.oneof(text, number, fc.boolean());
  const value = fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  );
  const metadata = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...ODD_NAMES), value, { maxKeys: 5, noNullPrototype: true }),
      fc.option(fc.record({ inner: value, 'in"ner': fc.record({ most: value }) }), { nil: undefined }),
    )
    .map(([flat, deep]) => ({ ...flat, ...(deep && { deep }) }) as Metadata);

  const collectionIds = [newId(), newId(), newId()] as const;
  const owners = [newId(), newId()] as const;
  const titles = ['Alpha', 'beta', '1'] as const;

  const document = fc.record({
    ownerId: fc.constantFrom(...owners),
    title: fc.constantFrom(...titles),
    type: fc.constantFrom('txt', 'md', 'pdf'),
    collectionIds: fc.subarray([...collectionIds]),
    metadata,
    own: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant({} as Metadata) }, { weight: 1, arbitrary: metadata }), {
      minLength: 1,
      maxLength: 3,
    }),
  });

  const field = fc.oneof(
    fc.constantFrom(...ODD_NAMES, ...NESTED),
    fc.constantFrom(...ODD_NAMES, ...NESTED).map((name) => `metadata.${name}`),
    fc.constantFrom('title', 'document_type', 'metadata.title', 'owner_id'),
  );
  const operand = fc.oneof(scalar, fc.constantFrom(...titles, ...owners, 'txt'));
  const pattern = fc.constantFrom('%', 'a%', '_', 'A_', '%b', '%ü%', "'", '', '%"%', '1%');
  const one = (operator: string) => (operand: unknown) => ({ [operator]: operand });
  const withNull = fc.array(fc.oneof(operand, fc.constant(null)), { maxLength: 3 });
  const condition = fc.oneof(
    operand,
    fc.constant(null),
    fc.oneof(operand, fc.constant(null), fc.array(scalar, { maxLength: 2 })).map(one('$eq')),
    fc
      .tuple(fc.constantFrom('$ne', '$neq'), fc.oneof(operand, fc.constant(null)))
      .map(([name, each]) => one(name)(each)),
    fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), operand).map(([name, each]) => one(name)(each)),
    fc.tuple(fc.constantFrom('$in', '$nin'), withNull).map(([name, each]) => one(name)(each)),
    fc.tuple(fc.constantFrom('$like', '$ilike'), pattern).map(([name, each]) => one(name)(each)),
    fc.array(operand, { maxLength: 3 }).map(one('$overlap')),
    fc.array(operand, { minLength: 1, maxLength: 3 }).map(one('$contains')),
    fc.oneof(value, fc.record({ inner: scalar })).map(one('$json_contains')),
    fc.tuple(operand, operand).map(([low, high]) => ({ $gte: low, $lte: high })),
  );
  const collection = fc.constantFrom(...collectionIds, collectionIds[0].toUpperCase(), newId());
  const collections = fc.array(collection, { maxLength: 3 });
  const onCollections = fc.oneof(
    fc
      .tuple(fc.constantFrom('$in', '$nin', '$overlap', '$contains', '$eq'), collections)
      .map(([name, ids]) => ({ collection_ids: { [name]: ids } })),
    fc
      .tuple(fc.constantFrom('$eq', '$ne'), collection)
      .chain(([name, id]) => fc.constantFrom({ collection_ids: { [name]: id } }, { collection_id: { [name]: id } })),
    fc
      .tuple(fc.constantFrom('$in', '$nin', '$overlap', '$contains'), collections)
      .map(([name, ids]) => ({ collection_id: { [name]: ids } })),
    collection.map((collection_id) => ({ collection_id })),
    collections.map((collection_ids) => ({ collection_ids })),
  );
  const leaf = fc.oneof(
    { weight: 4, arbitrary: fc.dictionary(field, condition, { minKeys: 1, maxKeys: 2, noNullPrototype: true }) },
    { weight: 1, arbitrary: onCollections },
  );
  const { filter: wireFilter } = fc.letrec<{ filter: Record<string, unknown> }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf as fc.Arbitrary<Record<string, unknown>>,
      fc.record({ $and: fc.array(tie('filter'), { maxLength: 3 }) }),
      fc.record({ $or: fc.array(tie('filter'), { maxLength: 3 }) }),
      fc.tuple(leaf, tie('filter')).map(([each, other]) => ({ ...each, $or: [other, each] })),
    ),
  }));

  interface Leg {
    find(filter: Filter): Promise<string[]>;
    readonly all: readonly { readonly id: string; readonly record: OracleRecord }[];
  }

  const FILTERS = 300;
  const whole = { offset: 0, limit: 1_000 };
  const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id).sort();

  /** All search operations, over one random corpus. */
  async function openLegs(): Promise<Readonly<Record<string, Leg>>> {
    const store = await openTestStore();
    const { corpus, maintenance } = store;
    const documents: { id: string; record: OracleRecord }[] = [];
    const chunks: { id: string; record: OracleRecord }[] = [];
    for (const { own, ...sample } of fc.sample(document, 14)) {
      const id = newId();
      await corpus.begin(newDocument('any', { ...sample, id, bytes: Buffer.from(id) }));
      await corpus.stage(
        id,
        own.map((each, order) => newChunk(order, `common words ${order}`, { metadata: each })),
      );
      await corpus.publish(id, publication('common words'));
      const record: OracleRecord = { documentId: id, ...sample, own: {} };
      documents.push({ id, record });
      for (const chunk of (await corpus.chunksOf(id, whole)).items) {
        chunks.push({ id: chunk.id, record: { ...record, own: own[chunk.order] ?? {} } });
      }
    }
    await maintenance.audit();
    const search = store.chunks;
    const near = { vector: direction(0), measure: 'cosine_distance', limit: 1_000 } as const;
    return {
      documents: { all: documents, find: async (filter) => idsOf((await corpus.list(filter, whole)).items) },
      'chunks in a list': {
        all: chunks,
        find: async (filter) => idsOf((await corpus.listChunks(filter, whole)).items),
      },
      'full text': {
        all: chunks,
        find: async (filter) => idsOf(await search.matching({ text: 'common', filter, limit: 1_000 })),
      },
      vectors: { all: chunks, find: async (filter) => idsOf(await search.nearest({ ...near, filter })) },
    };
  }

  it('applies filters to every leg as in the contract, for any field names and values', async () => {
    const legs = Object.entries(await openLegs());
    await fc.assert(
      fc.asyncProperty(wireFilter, async (wire) => {
        for (const [name, { find, all }] of legs) {
          const found = await find(readFilter(wire));
          const wrong = all.filter(({ id, record }) => found.includes(id) !== fits(wire, record));
          expect({ name, wrong: wrong.map(({ id, record }) => ({ isFound: found.includes(id), ...record })) }).toEqual({
            name,
            wrong: [],
          });
        }
      }),
      { numRuns: FILTERS },
    );
    for (const [, { find, all }] of legs) expect(await find(everything)).toEqual(idsOf(all));
  });
});
