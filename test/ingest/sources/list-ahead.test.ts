import { expect, it } from 'vitest';
import { listAhead } from '../../../src/ingest/sources/list-ahead.ts';
import { createSyncTally } from '../../../src/ingest/sources/sync-tally.ts';
import type { Listed } from '../../../src/sources/connector.ts';

const signal = new AbortController().signal;
const item = (key: string): Listed => ({ kind: 'item', key, version: '1', uri: `test://papers/${key}`, fileName: key });
const keys = Array.from({ length: 25 }, (_, number) => `${number}.md`);

async function* listing(): AsyncGenerator<Listed, void> {
  for (const key of keys) yield item(key);
  yield { kind: 'end', covers: 'all', cursor: '25' };
}

it('lists everything while the first item is processed, in order', async () => {
  const listed: string[] = [];
  const taken: string[] = [];
  for await (const each of listAhead(listing, { signal, onListed: ({ kind }) => listed.push(kind) })) {
    // The listing goes on while an item is processed.
    while (listed.length <= keys.length) await new Promise(setImmediate);
    taken.push('key' in each ? each.key : `${each.kind} ${each.cursor}`);
  }
  expect(taken).toEqual([...keys, 'end 25']);
});

it('waits for its consumer once it is far ahead, by entries or characters', async () => {
  for (const limits of [{ maxEntries: 10 }, { maxCharacters: 10 * 'n.md1test://papers/n.md'.length }]) {
    let [listed, taken, most] = [0, 0, 0];
    const onListed = () => (most = Math.max(most, ++listed - taken));
    for await (const _ of listAhead(listing, { signal, onListed, ...limits })) {
      await new Promise(setImmediate);
      taken++;
    }
    expect([listed, taken]).toEqual([26, 26]);
    // Up to ten wait here, and up to ten are with the consumer.
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(20);
  }
});

it('passes on what was listed before an error, and then the error', async () => {
  async function* broken(): AsyncGenerator<Listed, void> {
    yield item('a.md');
    throw new Error('It broke off.');
  }
  const entries = listAhead(broken, { signal });
  expect(await entries.next()).toMatchObject({ value: { key: 'a.md' } });
  await expect(entries.next()).rejects.toThrow('It broke off.');
});

it('ends the listing when its consumer stops or the signal aborts', async () => {
  const ended: string[] = [];
  async function* endless(limited: AbortSignal): AsyncGenerator<Listed, void> {
    try {
      yield item('a.md');
      await new Promise((_, reject) => limited.addEventListener('abort', () => reject(limited.reason)));
    } finally {
      ended.push('ended');
    }
  }
  for await (const _ of listAhead(endless, { signal })) break;
  expect(ended).toEqual(['ended']);

  const caller = new AbortController();
  const entries = listAhead(endless, { signal: caller.signal });
  await entries.next();
  const next = entries.next();
  caller.abort(new Error('Stopped.'));
  await expect(next).rejects.toThrow('Stopped.');
  expect(ended).toEqual(['ended', 'ended']);
});

it('tells the number of items listed so far, and all once the listing has ended', async () => {
  const tally = createSyncTally(async () => {}, 60_000);
  expect([tally.listed(), tally.total()]).toEqual([undefined, undefined]);
  for (const key of keys) tally.addListed(item(key));
  tally.addListed({ kind: 'removed', key: 'gone.md' });
  expect([tally.listed(), tally.total()]).toEqual([25, undefined]);
  tally.addListed({ kind: 'end', covers: 'all' });
  expect(tally.total()).toBe(25);
  for (const name of [...keys, 'gone.md']) tally.addRemote({ outcome: 'removed', name, documentId: null });
  expect([tally.listed(), tally.total()]).toEqual([26, 26]);
  await tally.save();
});
