import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import type { GraphQuery } from '../../../../src/store/graph-search.ts';
import { createGraphSearch } from '../../../../src/store/sql/graph/create-graph-search.ts';
import { createDirectReader } from '../../../../src/store/sql/sqlite/direct-reader.ts';
import { capitalisedWords } from '../../../support/capitalised-words.ts';
import { ingest, newChunk, newDocument, openTestStore } from '../../../support/store.ts';

const asked: GraphQuery = {
  text: 'Ada',
  vector: null,
  filter: everything,
  limits: { entities: 5, relationships: 5, communities: 5 },
};

it('asks no thread of the database as long as no graph has content', async () => {
  const store = await openTestStore();
  await ingest(store, newDocument('one'), [newChunk(0, 'Ada met Grace.')]);
  // No read is slow for this one, however busy the machine is.
  const direct = createDirectReader({ path: store.path, now: () => 0 });
  onTestFinished(() => direct.close());
  const called: string[] = [];
  const call = ((...task) => {
    called.push(task[0]);
    return store.sqlite.search.call(...task);
  }) as typeof store.sqlite.search.call;
  const { search } = createGraphSearch({ search: { ...store.sqlite.search, direct, call } });
  const nothing = { entities: [], relationships: [], communities: [] };

  expect(await search(asked)).toEqual(nothing);
  // The direct reader opens its connection when the event loop is free.
  expect(called).toEqual(['searchGraph']);
  await setImmediate();
  expect(await search(asked)).toEqual(nothing);
  expect(called).toEqual(['searchGraph']);

  const task = await store.documentGraphs.next();
  if (task) await store.documentGraphs.save(task, 'test', capitalisedWords(task.chunks));
  const { entities } = await search(asked);
  expect(entities.map(({ found }) => found.kind === 'entity' && found.name)).toContain('Ada');
  expect(called).toEqual(['searchGraph', 'searchGraph']);
});
