import { expect, it } from 'vitest';
import type { FollowedSource, SourceItem } from '../../../src/store/followed-sources.ts';
import { describeEngines } from '../../support/engines.ts';

const OWNER = '2acb499e-8428-543b-bd85-0d9098718220';

const source = (id: string): FollowedSource => ({
  id,
  ownerId: OWNER,
  collectionIds: [],
  createdAt: '2026-11-23T12:00:00.000Z',
  lastSync: null,
  location: {
    kind: 'remote',
    type: 's3',
    address: `s3://${id}/`,
    settings: { bucket: id },
    keepDeleted: false,
    everyMinutes: 60,
  },
  credentials: 'v1.sealed',
});
const item = (key: string, version: string | null = '1', duplicateOf: string | null = null): SourceItem => ({
  key,
  version,
  uri: `s3://papers/${key}`,
  duplicateOf,
});

describeEngines('Records of followed sources', (engine) => {
  it('store the state of each source’s items, and delete it with the source', async () => {
    const { followed: records } = await engine.openTestStore();
    await records.add(source('papers'));
    await records.add(source('notes'));
    expect(await records.list()).toEqual([source('notes'), source('papers')]);

    await records.saveItems('papers', 'first', [item('a'), item('b'), item('c', null)]);
    await records.saveItems('notes', 'first', [item('a', '7')]);
    await records.saveItems('papers', 'second', [item('b', '2')]);
    expect(await records.items('papers', ['a', 'b', 'x'])).toEqual([item('a'), item('b', '2')]);
    expect(await records.unseen('papers', 'second', { limit: 10 })).toEqual([item('a'), item('c', null)]);
    expect(await records.unseen('papers', 'second', { after: 'a', limit: 10 })).toEqual([item('c', null)]);

    await records.saveCursor('papers', 'here');
    expect(await records.cursorOf('papers')).toBe('here');
    await records.removeItems('papers', ['a']);
    expect(await records.items('papers', ['a'])).toEqual([]);
    await records.remove('papers');
    expect([await records.hasItems('papers'), await records.hasItems('notes')]).toEqual([false, true]);
    expect(await records.cursorOf('papers')).toBeUndefined();
  });

  it('keep nothing of a source that was removed while it was synchronised', async () => {
    const { followed: records } = await engine.openTestStore();
    await records.add(source('papers'));
    const failure = { key: 'a', item: '{}', reason: 'Away.', tries: 1, triedAt: '2026', nextTryAt: '2027' };
    const write = async () => {
      await records.saveItems('papers', 'first', [item('a'), item('b')]);
      await records.saveFailure('papers', failure);
    };
    const known = async () => [await records.hasItems('papers'), (await records.latestFailures('papers', 1)).count];
    await write();
    expect(await known()).toEqual([true, 1]);
    await Promise.all([write(), records.remove('papers'), write()]);
    await write();
    expect(await known()).toEqual([false, 0]);
  });

  it('change how a source is followed, and keep its items and its cursor', async () => {
    const { followed: records } = await engine.openTestStore();
    await records.add(source('papers'));
    await records.saveItems('papers', 'first', [item('a')]);
    await records.saveCursor('papers', 'here');
    const { credentials: _, ...before } = source('papers');
    const location = { ...before.location, keepDeleted: true } as FollowedSource['location'];
    await records.change({ id: 'papers', location, collectionIds: ['c'], credentials: undefined });
    expect(await records.list()).toEqual([{ ...before, location, collectionIds: ['c'] }]);
    expect([await records.items('papers', ['a']), await records.cursorOf('papers')]).toEqual([[item('a')], 'here']);
    await records.change({ ...source('removed'), id: 'removed' });
    expect(await records.list()).toHaveLength(1);
  });

  it('return items whose content was in a document that is removed', async () => {
    const { followed: records } = await engine.openTestStore();
    for (const id of ['papers', 'notes', 'mail']) {
      await records.add(source(id));
      await records.saveCursor(id, 'here');
    }
    await records.saveItems('papers', 'first', [item('a'), item('b', '1', 'removed')]);
    await records.saveItems('notes', 'first', [item('c', '1', 'removed')]);
    await records.saveItems('mail', 'first', [item('d', '1', 'kept')]);
    expect(await records.releaseDuplicates('removed')).toBe(true);
    expect(await records.items('papers', ['a', 'b'])).toEqual([item('a'), item('b', null)]);
    expect(await records.items('notes', ['c'])).toEqual([item('c', null)]);
    expect(await records.items('mail', ['d'])).toEqual([item('d', '1', 'kept')]);
    // Listings of changes would not name them.
    expect(await Promise.all(['papers', 'notes', 'mail'].map(records.cursorOf))).toEqual([
      undefined,
      undefined,
      'here',
    ]);
    expect(await records.releaseDuplicates('removed')).toBe(false);
  });
});
