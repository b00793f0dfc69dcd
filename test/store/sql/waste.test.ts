import { expect, it } from 'vitest';
import { ingest, newChunks, newDocument, openTestStore } from '../../support/store.ts';

it.each([
  ['is made anew, and filled from the records, where removed vectors take most of its place', 1e9, 1],
  ['is left as it is where they do not', 10e6, 0],
])('the vector index %s', async (_, bytes, expected) => {
  const store = await openTestStore();
  await ingest(store, newDocument('one'), newChunks(3));
  let renewals = 0;
  const renew = async () => {
    renewals++;
    store.index.endOutage('empty');
  };
  Object.assign(store.index, { bytes: async () => bytes, renew });
  const again = await store.reopen();
  await again.maintenance.audit();
  await again.maintenance.audit();
  expect(renewals).toBe(expected);
  expect(again.maintenance.state()).toEqual({ kind: 'in_step' });
  const [name = ''] = await store.index.list();
  expect(await (await store.index.open(name, 4)).count()).toBe(3);
});
