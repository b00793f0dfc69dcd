import { expect, it } from 'vitest';
import { newId } from '../../../../src/documents/ids.ts';
import type { AccessScope } from '../../../../src/store/access-scope.ts';
import {
  updateScopesFromRecords,
  upsertFromRecords,
} from '../../../../src/store/sql/index-sync/upsert-from-records.ts';
import { currentSpace } from '../../../../src/store/sql/vector-spaces/space-rows.ts';
import type { StoredScopes } from '../../../../src/store/vector-index.ts';
import { describeEngines } from '../../../support/engines.ts';
import { ingest, newChunks, newDocument } from '../../../support/store.ts';

describeEngines('A delayed write to the index', (engine) => {
  it.each([
    ['of a scope', updateScopesFromRecords],
    ['of vectors', upsertFromRecords],
  ])('%s leaves no outdated access scope behind', async (_, write) => {
    const store = await engine.openTestStore();
    const { id, ownerId } = await ingest(store, newDocument('letter'), newChunks(2));
    const collection = await store.collections.ensure({ id: newId(), ownerId, name: 'Otters' });
    const chunks = await store.sqlite.reader.selectFrom('chunks').select('key').execute();
    const keys = chunks.map(({ key }) => key);
    const space = await currentSpace(store.sqlite.reader);
    if (space === undefined || keys.length === 0) throw new Error('There should be a chunk in a space.');

    const kept = new Map<number, AccessScope>();
    let isMoved = false;
    const land = async (records: readonly { readonly key: number; readonly scope?: AccessScope }[]) => {
      // The document moves, which another writer writes down, while this one is under way.
      if (!isMoved) await store.collections.addDocuments(collection.id, [id]);
      isMoved = true;
      for (const { key, scope } of records) if (scope !== undefined) kept.set(key, scope);
    };
    const scopes: StoredScopes = { areComplete: () => true, set: land, complete: async () => {} };
    const opened = { ...(await store.index.open('late', space.dimensions)), upsert: land, scopes };
    const collections = { open: async () => opened, drop: async () => {} };
    await write({ sqlite: store.sqlite, collections, space, keys });
    for (const key of keys) expect(kept.get(key)?.collections).toContain(collection.id);
  });
});
