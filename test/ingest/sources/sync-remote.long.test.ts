import { expect, it, vi } from 'vitest';
import { newId } from '../../../src/documents/ids.ts';
import { ServiceError } from '../../../src/errors.ts';
import { pauseAfter } from '../../../src/ingest/sources/failed-items.ts';
import { describeEngines } from '../../support/engines.ts';
import { followOver, sourceOfFiles } from '../../support/remote-source.ts';

const away = new ServiceError('provider_failed', 'It is away.');
const tooLarge = new ServiceError('too_large', 'It is too large.');
const MINUTE = 60_000;

describeEngines('A synchronisation', (engine) => {
  const open = async () => followOver(await engine.openTestStore());

  it('reads no item that its source says is larger than any file of its name may be', async () => {
    const { sync, failures } = await open();
    const source = sourceOfFiles({ 'small.md': 'Rivers.' });
    for (const key of ['huge.txt', 'huge.docx']) {
      source.extra.push({ kind: 'item', key, version: '2', uri: `test://papers/${key}`, fileName: key, size: 150e6 });
    }
    expect(await sync(source)).toEqual({ ingested: ['small.md'], failed: ['huge.docx', 'huge.txt'] });
    const words = 'It has 150 MB; at most 100 MB are read (CITEWELL_MAX_FILE_MB).';
    expect(await failures()).toEqual(['huge.docx', 'huge.txt'].map((key) => `${key}: ${words} (1)`));
    expect(source.reads()).toEqual(['small.md']);
  });

  it('lists more items than a batch before the first is read', async () => {
    const { sync } = await open();
    const keys = Array.from({ length: 450 }, (_, number) => `${number}.bin`);
    const source = sourceOfFiles({ 'first.md': 'Rivers.', ...Object.fromEntries(keys.map((key) => [key, key])) });
    const kinds: string[] = [];
    let listedAtRead = 0;
    source.onRead(() => {
      listedAtRead = kinds.length;
    });
    await sync(source, { onListed: ({ kind }) => kinds.push(kind) });
    expect(listedAtRead).toBeGreaterThan(200);
    expect([kinds.length, kinds.at(-1)]).toEqual([452, 'end']);
  });

  it('retries a failed item that is not listed again, with growing pauses, until it succeeds', async () => {
    const { sync, failures, cursor, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.' });
    source.failing.set('b.md', tooLarge);
    const at = Date.now();
    expect(await sync(source, { now: at })).toEqual({ ingested: ['a.md'], failed: ['b.md'] });
    expect(await failures()).toEqual(['b.md: It is too large. (1)']);
    // What failed is remembered, so the listing goes on from here.
    expect(await cursor()).toBe('2');
    source.reads();
    expect(await sync(source, { now: at + 1 })).toEqual({ failed: ['b.md'] });
    expect(await sync(source, { now: at + 2 })).toEqual({});
    expect(source.reads()).toEqual(['b.md']);
    expect(await sync(source, { now: at + 16 * MINUTE })).toEqual({ failed: ['b.md'] });
    expect(await sync(source, { now: at + 40 * MINUTE })).toEqual({});
    expect(await failures()).toEqual(['b.md: It is too large. (3)']);
    source.failing.clear();
    expect(await sync(source, { now: at + 80 * MINUTE })).toEqual({ ingested: ['b.md'] });
    expect([await failures(), await titles()]).toEqual([[], ['a.md', 'b.md']]);
    expect(source.cursors.slice(1)).toEqual(['2', '2', '2', '2', '2']);
    expect([1, 2, 3, 4, 40].map((tries) => pauseAfter(tries) / MINUTE)).toEqual([0, 15, 60, 240, 10_080]);
  });

  it('deletes the document of an item that became unsupported, and skips the item', async () => {
    const { sync, titles, failures } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.' });
    await sync(source);
    for (const name of ['a.md', 'b.md']) {
      source.put(name, `Elsewhere, as ${name}.`);
      source.failing.set(name, new ServiceError('unsupported_type', 'It is kept elsewhere.'));
    }
    source.failing.delete('a.md');
    expect(await sync(source)).toEqual({ replaced: ['a.md'], skipped: ['b.md'] });
    expect([await titles(), await failures()]).toEqual([['a.md'], []]);
    source.put('a.md', 'Weirs.');
    source.failing.set('a.md', new ServiceError('unsupported_type', 'It is kept elsewhere.'));
    expect(await sync(source, { keepDeleted: true })).toEqual({ skipped: ['a.md'] });
    expect(await titles()).toEqual(['a.md']);
  });

  it('pauses retries also when everything is listed each time, unless the item changes or a full synchronisation is requested', async () => {
    const { sync, failures } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.' });
    source.listAll();
    source.failing.set('b.md', away);
    const at = Date.now();
    const limited = new ServiceError('rate_limited', 'Later.', { retryAfter: 1000 });
    source.failing.set('b.md', limited);
    await sync(source, { now: at });
    expect(await sync(source, { now: at + 999_000 })).toEqual({ unchanged: ['a.md'], waiting: ['b.md'] });
    source.failing.set('b.md', tooLarge);
    expect(await sync(source, { now: at + 2, isFull: true })).toMatchObject({ failed: ['b.md'] });
    expect(await sync(source, { now: at + 3 })).toMatchObject({ waiting: ['b.md'] });
    source.put('b.md', 'Weirs.');
    expect(await sync(source, { now: at + 4 })).toMatchObject({ failed: ['b.md'] });
    expect(await failures()).toEqual(['b.md: It is too large. (1)']);
  });

  it('forgets the failure of an item that is gone', async () => {
    const { sync, failures } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.', 'c.md': 'Weirs.' });
    for (const key of ['b.md', 'c.md']) source.failing.set(key, tooLarge);
    await sync(source);
    source.remove('b.md');
    expect(await sync(source)).toEqual({ failed: ['c.md'] });
    expect(await failures()).toEqual(['c.md: It is too large. (2)']);
    source.listAll();
    source.remove('c.md');
    await sync(source);
    expect(await failures()).toEqual([]);
  });

  it('keeps the cursor when a part cannot be listed, and when more items fail than can be stored', async () => {
    const { sync, failures, cursor, records } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.' });
    await sync(source);
    expect(await cursor()).toBe('1');
    source.put('b.md', 'Mills.');
    source.extra.push({ kind: 'failed', key: 'part', reason: 'Access refused.' });
    expect(await sync(source)).toEqual({ ingested: ['b.md'], failed: ['part'] });
    expect(await cursor()).toBe('1');
    source.extra.pop();
    source.breakOff(true);
    await expect(sync(source)).rejects.toThrow('broke off');
    expect(await cursor()).toBe('1');
    source.breakOff(false);
    for (const key of ['c.md', 'd.md', 'e.md']) {
      source.put(key, key);
      source.failing.set(key, tooLarge);
    }
    expect(await sync(source, { limit: 2 })).toMatchObject({ failed: ['c.md', 'd.md', 'e.md'] });
    expect([(await failures()).length, await cursor()]).toEqual([2, '1']);
    source.failing.clear();
    await sync(source, { isFull: true });
    expect([await failures(), await cursor()]).toEqual([[], '5']);
    await records.remove('papers');
    expect(await failures()).toEqual([]);
  });

  it('removes documents only after a complete listing, and none if deleted items are kept', async () => {
    const { sync, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.', 'c.md': 'Weirs.', 'd.md': 'Locks.' });
    await sync(source);
    source.remove('a.md');
    expect(await sync(source)).toEqual({ removed: ['a.md'] });
    source.remove('b.md');
    source.extra.push({ kind: 'failed', key: 'part', reason: 'Access refused.' });
    expect(await sync(source, { isFull: true })).not.toHaveProperty('removed');
    source.extra.pop();
    expect(await sync(source, { isFull: true })).toMatchObject({ removed: ['b.md'] });
    source.remove('c.md');
    expect(await sync(source, { keepDeleted: true })).toEqual({});
    expect(await sync(source, { keepDeleted: true, isFull: true })).toEqual({ unchanged: ['d.md'] });
    expect(await titles()).toEqual(['c.md', 'd.md']);
  });

  it('deletes the documents of many missing items in lists, however the listing names them', async () => {
    const { sync, titles, target } = await open();
    const keys = Array.from({ length: 130 }, (_, number) => `${String(number).padStart(3, '0')}.md`);
    const source = sourceOfFiles(Object.fromEntries([...keys, 'last.md'].map((key) => [key, `About ${key}.`])));
    await sync(source);
    const deletions = vi.spyOn(target, 'deleteDocuments');
    const sizes = () => deletions.mock.calls.splice(0).map(([ids]) => ids.length);
    // Removals that a listing names between changed items, which are read in one batch.
    for (const key of keys.slice(0, 60)) {
      source.remove(key);
      source.put('last.md', `Without ${key}.`);
    }
    expect(await sync(source)).toEqual({ removed: keys.slice(0, 60), replaced: ['last.md'] });
    expect(sizes()).toEqual([50, 10]);
    source.listAll();
    for (const key of keys.slice(60)) source.remove(key);
    expect(await sync(source)).toEqual({ removed: keys.slice(60), unchanged: ['last.md'] });
    expect(sizes()).toEqual([50, 20]);
    expect(await titles()).toEqual(['last.md']);
  });

  it('keeps the document of an item that moves, and ingests a renamed file again', async () => {
    const { sync, titles, target } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.' });
    await sync(source);
    const before = await target.documentOf('test://papers/a.md');
    source.move('a.md', 'test://papers/elsewhere/a.md');
    expect(await sync(source)).toEqual({ unchanged: ['a.md'] });
    expect(await target.documentOf('test://papers/elsewhere/a.md')).toMatchObject({ id: before?.id });
    source.remove('b.md');
    source.put('new.md', 'Mills.');
    const renamed = await sync(source);
    expect(renamed['removed']).toEqual(['b.md']);
    expect(await titles()).toEqual(['elsewhere/a.md', 'new.md']);
    expect((await sync(source, { isFull: true }))['unchanged']).toEqual(['a.md', 'new.md']);
  });

  it('ingests an item on its own when the document that it shared gets other content', async () => {
    const { sync, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.' });
    await sync(source);
    source.put('b.md', 'Rivers.');
    expect(await sync(source)).toEqual({ duplicate: ['b.md'] });
    source.put('a.md', 'Rivers and lakes.');
    expect(await sync(source)).toEqual({ replaced: ['a.md'], ingested: ['b.md'] });
    expect(await titles()).toEqual(['a.md', 'b.md']);
    expect(await sync(source)).toEqual({});
  });

  it('ingests a copied file when the original gets other content', async () => {
    const { sync, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.' });
    await sync(source);
    source.put('a.md', 'Rivers and lakes.');
    source.put('b.md', 'Rivers.');
    await sync(source);
    expect(await titles()).toEqual(['a.md', 'b.md']);
  });

  it('ingests an item on its own when the item that it shared a document with is no longer read', async () => {
    const { sync, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.' });
    await sync(source);
    source.put('b.md', 'Rivers.');
    await sync(source);
    source.put('a.md', 'Elsewhere.');
    source.failing.set('a.md', new ServiceError('unsupported_type', 'It is kept elsewhere.'));
    expect(await sync(source)).toMatchObject({ ingested: ['b.md'] });
    expect(await titles()).toEqual(['b.md']);
  });

  it('deletes the document of an item whose new name is not read', async () => {
    const { sync, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.' });
    await sync(source);
    source.rename('a.md', 'a.bin');
    expect(await sync(source)).toEqual({ skipped: ['a.md'] });
    expect(await titles()).toEqual(['b.md']);
  });

  it('keeps the document of an item that is listed without a version', async () => {
    const { sync, titles } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.' });
    source.listAll();
    await sync(source);
    source.unsaid.add('a.md');
    expect(await sync(source)).toEqual({ unchanged: ['b.md'], failed: ['a.md'] });
    expect(await titles()).toEqual(['a.md', 'b.md']);
  });

  it('keeps the document of an item that could not be read', async () => {
    const { sync, titles, cursor } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.', 'c.md': 'Weirs.' });
    await sync(source);
    source.remove('a.md');
    source.remove('b.md');
    source.extra.push({ kind: 'unknown', key: 'a.md', reason: 'Access refused.' });
    expect(await sync(source, { isFull: true })).toEqual({ unchanged: ['c.md'], failed: ['a.md'], removed: ['b.md'] });
    expect([await titles(), await cursor()]).toEqual([['a.md', 'c.md'], '5']);
  });

  it('keeps the document of an item that is in another source as well', async () => {
    const { sync, titles, records } = await open();
    const source = sourceOfFiles({ 'a.md': 'Rivers.', 'b.md': 'Mills.', 'c.md': 'Weirs.' });
    await sync(source);
    const [papers] = await records.list();
    if (papers === undefined) throw new Error('not followed');
    await records.add({ ...papers, id: 'others' });
    const shared = { version: '1', duplicateOf: null };
    await records.saveItems('others', 'pass', [
      // Below another folder, it has another name.
      { key: 'deeper/a.md', uri: 'test://papers/a.md', ...shared },
      { key: 'b.md', uri: 'test://others/b.md', ...shared },
    ]);
    source.remove('a.md');
    source.remove('b.md');
    expect(await sync(source)).toEqual({ removed: ['b.md'] });
    expect(await titles()).toEqual(['a.md', 'c.md']);
    await records.add({ ...papers, id: 'of another owner', ownerId: newId() });
    await records.saveItems('of another owner', 'pass', [{ key: 'c.md', uri: 'test://papers/c.md', ...shared }]);
    source.remove('c.md');
    expect(await sync(source)).toEqual({ removed: ['c.md'] });
  });

  it('continues after an interruption, without loss and without reading anything twice', async () => {
    const store = await engine.openTestStore();
    const first = await followOver(store);
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`${number}.md`, `Text ${number}.`]));
    const source = sourceOfFiles(files);
    const stop = new AbortController();
    const done: string[] = [];
    await expect(async () => {
      for await (const { name } of first.steps(source, { signal: stop.signal })) {
        if (done.push(name) === 4) stop.abort();
      }
    }).rejects.toThrow();
    expect(await first.cursor()).toBeUndefined();
    source.reads();
    const second = await followOver(await store.reopen());
    await second.sync(source);
    const again = source.reads();
    for (const name of done) expect(again).not.toContain(name);
    expect(await second.titles()).toEqual(Object.keys(files).sort());
    expect(await second.sync(source)).toEqual({});
  });
});
