import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { giveBytes } from '../../../../src/shared/given-bytes.ts';
import { describeEngines } from '../../../support/engines.ts';
import { newDocument } from '../../../support/store.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const MEGABYTES = 3;
const content = () => new Uint8Array(MEGABYTES * 1_000_000).map((_, index) => index % 251);

describeEngines('A large original', ({ openTestStore }) => {
  it('is written to a file as it was stored, and not over another one', async () => {
    const [store, folder] = [await openTestStore(), await temporaryFolder()];
    const bytes = content();
    await store.corpus.begin(newDocument('large', { bytes: giveBytes(bytes) }));
    // The statement is the same, with what the first one bound forgotten.
    await store.corpus.begin(newDocument('other', { bytes: content().reverse() }));
    const path = join(folder, 'large.bin');
    expect(await store.corpus.saveOriginal(newDocument('large').id, path)).toBe(true);
    expect(Buffer.from(await readFile(path)).equals(content())).toBe(true);
    await expect(store.corpus.saveOriginal(newDocument('other').id, path)).rejects.toThrow();
    expect(Buffer.from(await readFile(path)).equals(content())).toBe(true);
    expect(await store.corpus.saveOriginal(newDocument('unknown').id, join(folder, 'none'))).toBe(false);
  });

  it('stays with its owner unless it was given up', async () => {
    const store = await openTestStore();
    const [kept, part] = [content(), content()];
    await store.corpus.begin(newDocument('kept', { bytes: kept }));
    await store.corpus.begin(newDocument('part', { bytes: giveBytes(part.subarray(1)) }));
    expect([kept.length, part.length]).toEqual([MEGABYTES * 1_000_000, MEGABYTES * 1_000_000]);
    const stored = await store.corpus.bytesOf(newDocument('part').id);
    expect(Buffer.from(stored ?? []).equals(content().subarray(1))).toBe(true);
  });
});
