import { expect, it } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import type { VectorQuery } from '../../../../src/store/chunk-search.ts';
import { openCollections } from '../../../../src/store/sql/index-sync/open-collections.ts';
import { createChunkSearch } from '../../../../src/store/sql/search/chunk-search.ts';
import { ingest, newChunk, newDocument, openTestStore } from '../../../support/store.ts';

/** Half of them are more than are compared in any case, and too few to be found through the index. */
const CHUNKS = 4_200;
const LIMIT = 100;

const scattered = (number: number) => Float32Array.from([1, 2, 3, 4], (place) => Math.sin(number * place * 7_919.7));

it('A filter of many chunks that the index cannot be asked for selects by codes what an exhaustive comparison finds', async () => {
  const store = await openTestStore();
  const chunks = Array.from({ length: CHUNKS }, (_, order) =>
    newChunk(order, `passage ${order}`, { vector: scattered(order), metadata: { part: order % 2 } }),
  );
  await ingest(store, newDocument('many'), chunks);
  await store.maintenance.audit();
  const { search } = store.sqlite;
  const called: string[] = [];
  const call: typeof search.call = (operation, ...rest) => {
    called.push(operation);
    return search.call(operation, ...rest);
  };
  const parts = {
    search: { ...search, call },
    collections: openCollections(store.index),
    state: store.maintenance.state,
  };
  const half: Filter = { kind: 'compare', field: 'metadata.part', op: 'eq', value: 1 };
  const query = { vector: scattered(17.25), measure: 'l1_distance', limit: LIMIT, firstListLength: LIMIT } as const;
  const find = async (comparedBytes: number, filter: Filter, options: Partial<VectorQuery> = {}) => {
    called.length = 0;
    const notes: string[] = [];
    const found = await createChunkSearch({ ...parts, comparedBytes }).nearest({
      ...query,
      ...options,
      filter,
      note: (text) => notes.push(text),
    });
    expect(notes).toEqual([]);
    return found.map(({ text, score }) => ({ text, score }));
  };
  const exact = await find(Number.POSITIVE_INFINITY, half);
  expect(called).toContain('nearestExactly');
  expect(called).not.toContain('nearestByCodes');
  expect(exact).toHaveLength(LIMIT);
  expect(await find(0, half)).toEqual(exact);
  expect(called).toContain('nearestByCodes');
  expect(called).not.toContain('nearestExactly');
  await find(0, everything);
  expect(called).toContain('nearestAmong');

  // The index could be asked for these, but takes longer.
  const many = { measure: 'cosine_distance', limit: 400, firstListLength: 400 } as const;
  const first = await find(0, half, { ...many, limit: LIMIT, firstListLength: LIMIT });
  expect(called).toContain('nearestAmong');
  const found = await find(0, half, many);
  expect(called).toContain('nearestByCodes');
  expect(called).not.toContain('nearestAmong');
  expect(found).toHaveLength(many.limit);
  expect(found.slice(0, LIMIT)).toEqual(first);
});
