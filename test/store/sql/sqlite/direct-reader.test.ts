import { rename } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { isDocument } from '../../../../src/documents/filter.ts';
import { createDirectReader } from '../../../../src/store/sql/sqlite/direct-reader.ts';
import { ingest, newChunk, newDocument, openTestStore } from '../../../support/store.ts';

// By default no read is slow, however busy the machine is.
async function openReader(path: string, now = () => 0) {
  const reader = createDirectReader({ path, now });
  onTestFinished(() => reader.close());
  expect(reader.state()).toBeUndefined();
  // Its connection is opened when the event loop is free.
  await setImmediate();
  return reader;
}

async function openWithChunks() {
  const store = await openTestStore();
  await ingest(store, newDocument('one'), [newChunk(0, 'first'), newChunk(1, 'second')]);
  await store.maintenance.audit();
  const rows = await store.sqlite.reader.selectFrom('chunks').select('key').orderBy('key').execute();
  return { store, keys: rows.map(({ key }) => key) };
}

it('reads the chunks that the threads of the database read', async () => {
  const { store, keys } = await openWithChunks();
  const reader = await openReader(store.path);
  const chunks = reader.readChunks(keys);
  expect(chunks).toEqual(await store.sqlite.search.call('readChunks', { keys }));
  expect([...(chunks?.values() ?? [])].map(({ text }) => text)).toEqual(['first', 'second']);
});

it('reads nothing of a state that has been left', async () => {
  const { store, keys } = await openWithChunks();
  const reader = await openReader(store.path);
  const state = reader.state();
  expect(state).toBeTypeOf('string');
  expect(reader.state()).toBe(state);
  expect(reader.readChunks(keys, state)?.size).toBe(2);
  await store.corpus.remove(isDocument(newDocument('one').id));
  expect(reader.readChunks(keys, state)).toBeUndefined();
  expect(reader.state()).not.toBe(state);
  expect(reader.readChunks(keys)).toEqual(new Map());
});

it('knows no state while writes to the vector index are pending', async () => {
  const { store } = await openWithChunks();
  const reader = await openReader(store.path);
  const [space] = await store.sqlite.reader.selectFrom('vector_spaces').select('key').execute();
  const entry = { kind: 'upsert', space_key: space?.key ?? 0, payload: '[[1,1]]', created_at: '2026-01-01' } as const;
  await store.sqlite.writer.insertInto('outbox').values(entry).execute();
  expect(reader.state()).toBeUndefined();
  await store.sqlite.writer.deleteFrom('outbox').execute();
  expect(reader.state()).toBeTypeOf('string');
});

it('leaves reads to the threads for some time after a slow one', async () => {
  const { store, keys } = await openWithChunks();
  let time = 0;
  let took = 0;
  const reader = await openReader(store.path, () => {
    time += took;
    return time;
  });
  expect(reader.readChunks(keys)?.size).toBe(2);
  took = 20;
  expect(reader.readChunks(keys)?.size).toBe(2);
  took = 0;
  time += 1_900;
  expect(reader.readChunks(keys)).toBeUndefined();
  time += 100;
  expect(reader.readChunks(keys)?.size).toBe(2);
});

it('leaves many chunks to the threads', async () => {
  const { store, keys } = await openWithChunks();
  const reader = await openReader(store.path);
  expect(reader.readChunks(Array.from({ length: 51 }, () => keys[0] ?? 0))).toBeUndefined();
});

it('leaves a file that it cannot open to the threads, and opens it again later', async () => {
  const { store, keys } = await openWithChunks();
  await store.close();
  let time = 0;
  await rename(store.path, `${store.path}.away`);
  const reader = await openReader(store.path, () => time);
  expect(reader.readChunks(keys)).toBeUndefined();
  await rename(`${store.path}.away`, store.path);
  time = 10_000;
  expect(reader.state()).toBeUndefined();
  await setImmediate();
  expect(reader.readChunks(keys)?.size).toBe(2);
});

it('reads nothing once it is closed', async () => {
  const { store, keys } = await openWithChunks();
  const reader = await openReader(store.path);
  reader.close();
  await setImmediate();
  expect(reader.readChunks(keys)).toBeUndefined();
});
