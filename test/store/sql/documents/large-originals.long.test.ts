import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markTransferable } from '../../../../src/shared/transferable-bytes.ts';
import { describeEngines } from '../../../support/engines.ts';
import { ingest, newChunks, newDocument } from '../../../support/store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MEGABYTES = 3;
const content = () => new Uint8Array(MEGABYTES * 1_000_000).map((_, index) => index % 251);

describeEngines('A large original', ({ name, openTestStore }) => {
  it('is written to a file as it was stored, and not over another one', async () => {
    const [store, folder] = [await openTestStore(), await temporaryFolder()];
    const bytes = content();
    await store.corpus.begin(newDocument('large', { bytes: markTransferable(bytes) }));
    // The statement is the same, with what the first one bound forgotten.
    await store.corpus.begin(newDocument('other', { bytes: content().reverse() }));
    const path = join(folder, 'large.bin');
    expect(await store.corpus.saveOriginal(newDocument('large').id, path)).toBe(true);
    expect(Buffer.from(await readFile(path)).equals(content())).toBe(true);
    await expect(store.corpus.saveOriginal(newDocument('other').id, path)).rejects.toThrow();
    expect(Buffer.from(await readFile(path)).equals(content())).toBe(true);
    expect(await store.corpus.saveOriginal(newDocument('unknown').id, join(folder, 'none'))).toBe(false);
  });

  it('is read in parts and in ranges, of which none has all of it in memory where the database has slices', async () => {
    const store = await openTestStore();
    const bytes = Buffer.alloc(9_000_000, 'abcdefghijklmnopqrstuvwxyz0123456789.');
    await store.corpus.begin(newDocument('large', { bytes }));
    const original = await store.corpus.originalOf(newDocument('large').id);
    expect(original?.sizeInBytes).toBe(bytes.length);
    const pieces = await Array.fromAsync(original?.stream() ?? []);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(pieces.map(({ length }) => length)).toEqual(name === 'SQLite' ? [bytes.length] : [8_000_000, 1_000_000]);
    const range = { start: 10, end: 8_500_000 };
    const part = await Array.fromAsync(original?.stream({ range }) ?? []);
    expect(Buffer.concat(part).equals(bytes.subarray(range.start, range.end + 1))).toBe(true);
    expect(Buffer.from((await original?.read()) ?? []).equals(bytes)).toBe(true);
  });

  it('belongs to the visible content until a successor is published, and is then not returned for that one', async () => {
    const store = await openTestStore();
    const document = newDocument('large', { bytes: Buffer.alloc(1_500_000, 'first') });
    await ingest(store, document, newChunks(1, 'first'));
    const first = await store.corpus.originalOf(document.id);
    const successor = { ...document, bytes: Buffer.alloc(1_500_000, 'other') };
    await store.corpus.begin(successor, { replace: true });
    const start = async () => {
      const found = await store.corpus.originalOf(document.id);
      return Buffer.concat(await Array.fromAsync(found?.stream({ range: { start: 0, end: 4 } }) ?? [])).toString();
    };
    expect(await start()).toBe('first');
    await store.corpus.stage(document.id, newChunks(1, 'other'));
    await store.corpus.publish(document.id, { text: 'other', pages: [], summary: null, totalTokens: 0 });
    expect(await start()).toBe('other');
    await expect(Array.fromAsync(first?.stream() ?? [])).rejects.toThrow(
      'was replaced or removed while its file was read',
    );
  });

  it('stays usable by the caller unless it was marked as transferable', async () => {
    const store = await openTestStore();
    const [kept, part] = [content(), content()];
    await store.corpus.begin(newDocument('kept', { bytes: kept }));
    await store.corpus.begin(newDocument('part', { bytes: markTransferable(part.subarray(1)) }));
    expect([kept.length, part.length]).toEqual([MEGABYTES * 1_000_000, MEGABYTES * 1_000_000]);
    const stored = await store.corpus.bytesOf(newDocument('part').id);
    expect(Buffer.from(stored ?? []).equals(content().subarray(1))).toBe(true);
  });
});
