import { expect, it } from 'vitest';
import { replayOutbox } from '../../../../src/store/sql/index-sync/outbox.ts';
import { addPending } from '../../../../src/store/sql/index-sync/outbox-entries.ts';
import { currentSpace } from '../../../../src/store/sql/vector-spaces/space-rows.ts';
import { describeEngines } from '../../../support/engines.ts';
import { ingest, newChunks, newDocument } from '../../../support/store.ts';

describeEngines('The outbox', (engine) => {
  it('leaves entries added during its replay for the next one, which they can share', async () => {
    const store = await engine.openTestStore();
    await ingest(store, newDocument('letter'), newChunks(5));
    await store.maintenance.replayOutbox();
    const { reader, writer } = store.sqlite;
    const keys = (await reader.selectFrom('chunks').select('key').orderBy('key').execute()).map(({ key }) => key);
    const [space, first] = [await currentSpace(reader), keys[0]];
    if (space === undefined || first === undefined) throw new Error('There should be a chunk in a space.');

    const calls: number[] = [];
    let later = keys.slice(1);
    const upsert = async (records: readonly object[]) => {
      calls.push(records.length);
      // Other documents are published, one by one, while the index is being written.
      for (const key of later) await addPending(writer, 'upsert', space.key, [key]);
      later = [];
    };
    const opened = { ...(await store.index.open('replayed', space.dimensions)), upsert };
    const collections = { open: async () => opened, drop: async () => {} };
    const { signal } = new AbortController();
    await addPending(writer, 'upsert', space.key, [first]);
    await replayOutbox(store.sqlite, collections, signal);
    expect(calls).toEqual([1]);
    await replayOutbox(store.sqlite, collections, signal);
    expect(calls).toEqual([1, 4]);
    expect(await reader.selectFrom('outbox').select('key').execute()).toEqual([]);
  });
});
