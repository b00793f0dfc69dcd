import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createBackups } from '../../src/backup/create-backups.ts';
import { restoreBackup, verifyBackup } from '../../src/backup/restore-backup.ts';
import { type SealOptions, sealArchive } from '../../src/backup/seal.ts';
import { ingest, newChunks, newDocument, openTestStore } from '../support/store.ts';
import { tableContents } from '../support/table-contents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const options = (given: Partial<SealOptions> = {}): SealOptions => ({
  passphrase: undefined,
  keyWork: 10,
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...given,
});

/** A store with a few documents, one of them incompressible, and an evaluation. */
async function filledFolder() {
  const store = await openTestStore();
  const path = join(store.path, '..');
  await ingest(store, newDocument('one'), newChunks(5));
  await ingest(store, { ...newDocument('two'), bytes: randomBytes(700_000) }, newChunks(3));
  await mkdir(join(path, 'evaluations'));
  await writeFile(join(path, 'evaluations', '2026-01-02T03-04-05.678Z.json'), '{"an": "evaluation"}');
  const folder = { path, databaseFile: join(path, 'citewell.db'), unfinishedFolder: join(path, 'unfinished') };
  return { store, path, backups: createBackups({ store, folder, version: '1.2.3' }) };
}

async function backedUp(given: Partial<SealOptions> = {}) {
  const filled = await filledFolder();
  const file = join(await temporaryFolder(), 'backup');
  const { content, bytes } = await filled.backups.begin();
  await sealArchive(content, file, options(given));
  return { ...filled, file, bytes };
}

describe('a backup', () => {
  it.each(['without', 'with'])('holds every row and file, %s a passphrase', async (how) => {
    const passphrase = how === 'with' ? 'four words or more' : undefined;
    const { store, path, file } = await backedUp({ passphrase });
    await store.close();
    const restored = join(await temporaryFolder(), 'elsewhere');
    const manifest = await restoreBackup(file, restored, options({ passphrase }));
    expect(manifest).toMatchObject({
      citewell: '1.2.3',
      documents: 2,
      chunks: 8,
      schema: expect.stringMatching(/^00/),
    });
    expect(tableContents(join(restored, 'citewell.db'))).toEqual(tableContents(store.path));
    const evaluation = 'evaluations/2026-01-02T03-04-05.678Z.json';
    expect(await readFile(join(restored, evaluation), 'utf8')).toBe(await readFile(join(path, evaluation), 'utf8'));
    expect((await readdir(restored)).sort()).toEqual(['citewell.db', 'evaluations', 'lock']);
    expect((await stat(join(restored, 'citewell.db'))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(path, 'unfinished'))).toEqual([]);
  });

  it('can be read by other programs', async () => {
    const { file } = await backedUp();
    const tar = join(await temporaryFolder(), 'backup.tar');
    await writeFile(tar, zstdDecompressSync(await readFile(file)));
    const { stdout } = await promisify(execFile)('tar', ['-tf', tar]);
    expect(stdout.trim().split('\n')).toEqual([
      'manifest.json',
      'citewell.db',
      'evaluations/2026-01-02T03-04-05.678Z.json',
      'checksums.json',
    ]);
    // As downloaded over HTTP, without compression.
    expect(await verifyBackup(tar, options())).toMatchObject({ documents: 2 });
  });

  it('does not contain what was deleted', async () => {
    const { store, backups } = await filledFolder();
    const secret = 'the vanished admiral';
    const document = { ...newDocument('three'), bytes: Buffer.from(secret) };
    await ingest(store, document, newChunks(1, secret));
    await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: document.id });
    const pieces: Uint8Array[] = [];
    for await (const piece of (await backups.begin()).content) pieces.push(piece);
    expect(Buffer.concat(pieces).includes(Buffer.from('SQLite format 3'))).toBe(true);
    expect(Buffer.concat(pieces).includes(Buffer.from(secret))).toBe(false);
  });

  it('removes its snapshot even if it is not read to the end, so that another backup can begin', async () => {
    const { backups, path } = await filledFolder();
    const { content } = await backups.begin();
    await content.next();
    await expect(backups.begin()).rejects.toMatchObject({ code: 'conflict' });
    await content.return();
    expect(await readdir(join(path, 'unfinished'))).toEqual([]);
    await (await backups.begin()).content.return();
  });

  it('never replaces a file, and leaves none behind when it is interrupted', async () => {
    const { backups, file } = await backedUp();
    const before = await readFile(file);
    const again = await backups.begin();
    await expect(sealArchive(again.content, file, options())).rejects.toThrow(/exists already/);
    expect((await readFile(file)).equals(before)).toBe(true);

    const stop = new AbortController();
    const other = join(await temporaryFolder(), 'interrupted');
    const { content } = await backups.begin();
    const sealing = sealArchive(content, other, options({ signal: stop.signal, onProgress: () => stop.abort() }));
    await expect(sealing).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(join(other, '..'))).toEqual([]);
  });
});

const DAMAGED = /is damaged, incomplete, or no backup/;

describe('restoring refuses', () => {
  /** Neither verified nor restored, and nothing is left in the data folder. */
  async function expectRefused(file: string, words: RegExp, given: Partial<SealOptions> = {}) {
    const verified = verifyBackup(file, options(given));
    await expect(verified).rejects.toThrow(words);
    if (words === DAMAGED) await expect(verified).rejects.toMatchObject({ code: 'store_failed' });
    const folder = await temporaryFolder();
    await expect(restoreBackup(file, folder, options(given))).rejects.toThrow(words);
    expect(await readdir(folder)).toEqual(['lock']);
  }

  it.each(['without', 'with'])('a file that is cut off or changed anywhere, %s a passphrase', async (how) => {
    const passphrase = how === 'with' ? 'four words or more' : undefined;
    const { file } = await backedUp({ passphrase });
    const whole = await readFile(file);
    const folder = await temporaryFolder();
    for (const place of [0, 0.001, 0.1, 0.5, 0.9, 0.9999]) {
      const at = Math.floor(place * whole.length);
      const changed = join(folder, `changed-${place}`);
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      await writeFile(changed, bytes);
      await expectRefused(changed, DAMAGED, { passphrase });
      if (at === 0) continue;
      const cut = join(folder, `cut-${place}`);
      await copyFile(file, cut);
      await truncate(cut, at);
      await expectRefused(cut, DAMAGED, { passphrase });
    }
  });

  it('a tar file in which one byte differs, or that was cut between two files', async () => {
    const { file } = await backedUp();
    const tar = zstdDecompressSync(await readFile(file));
    const changed = join(await temporaryFolder(), 'changed.tar');
    const at = tar.indexOf('SQLite format 3') + 100_000;
    tar[at] = (tar[at] ?? 0) ^ 1;
    await writeFile(changed, tar);
    await expectRefused(changed, /the checksum of citewell\.db differs/);
    tar[at] = (tar[at] ?? 0) ^ 1;
    await writeFile(changed, tar.subarray(0, tar.indexOf('checksums.json')));
    await expectRefused(changed, DAMAGED);
  });

  it.each([
    ['a version', '"schema": "', '"schema": "9'],
    ['a format', '"format": 1', '"format": 7'],
    ['a size', '"bytes": 1', '"bytes": 1e18 }'],
  ])('a file whose damaged manifest claims %s that this program cannot read, as damaged', async (_, from, to) => {
    const { file } = await backedUp();
    const tar = zstdDecompressSync(await readFile(file));
    const at = tar.indexOf(from);
    expect(at).toBeGreaterThan(0);
    tar.write(to, at);
    const changed = join(await temporaryFolder(), 'changed.tar');
    await writeFile(changed, tar);
    await expectRefused(changed, DAMAGED);
  });

  it('a file in which any of its first bytes was changed', async () => {
    const { file } = await backedUp();
    const whole = await readFile(file);
    const changed = join(await temporaryFolder(), 'changed');
    // Not byte 4: of the frame's descriptor, zstd does not use this bit (RFC 8878, section 3.1.1.1.1.3).
    for (let at = 0; at < 1000; at += 5) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      await writeFile(changed, bytes);
      await expect(verifyBackup(changed, options()), `byte ${at}`).rejects.toThrow(DAMAGED);
    }
  });

  it('a wrong passphrase, and a missing one', async () => {
    const { file } = await backedUp({ passphrase: 'right' });
    await expectRefused(file, /not the passphrase/, { passphrase: 'wrong' });
    await expectRefused(file, /is encrypted/);
  });

  it('a backup made by a newer version', async () => {
    const { store, backups, path } = await filledFolder();
    const database = new DatabaseSync(store.path, { timeout: 10_000 });
    database.exec("insert into kysely_migration values ('9999-of-the-future', '2030-01-01T00:00:00.000Z')");
    database.close();
    const file = join(path, 'newer');
    await sealArchive((await backups.begin()).content, file, options());
    await expectRefused(file, /made by a newer version of Citewell \(1\.2\.3, step 9999-of-the-future\)/);
  });

  it('files that are no backups', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'empty'), '');
    await expectRefused(join(folder, 'empty'), DAMAGED);
    await expectRefused(folder, /is a folder/);
    await expectRefused(join(folder, 'missing'), /There is no file/);
    const { tar, path } = { tar: join(folder, 'x.tar'), path: join(folder, 'empty') };
    await promisify(execFile)('tar', ['-cf', tar, '-C', join(path, '..'), 'empty']);
    await expectRefused(tar, /it has no manifest/);
  });

  it('a data folder that is not empty, and leaves it unchanged', async () => {
    const { file, store } = await backedUp();
    const own = join(store.path, '..');
    await expect(restoreBackup(file, own, options())).rejects.toThrow(/is not empty \(.*citewell\.db/);
    const others = await temporaryFolder();
    await writeFile(join(others, 'letter.txt'), 'Dear');
    await expect(restoreBackup(file, others, options())).rejects.toThrow(/is not empty \(letter\.txt\)/);
    expect(await readdir(others)).toEqual(['letter.txt']);
  });
});

it('an interrupted restoration can be repeated', async () => {
  const { file, store } = await backedUp();
  const folder = await temporaryFolder();
  // Killed before its last step.
  await mkdir(join(folder, 'unfinished'));
  await writeFile(join(folder, 'unfinished', 'citewell.db'), 'half of it');
  await mkdir(join(folder, 'evaluations'));
  await restoreBackup(file, folder, options());
  expect((await readdir(folder)).sort()).toEqual(['citewell.db', 'evaluations', 'lock']);
  await store.close();
  expect(tableContents(join(folder, 'citewell.db'))).toEqual(tableContents(store.path));
});
