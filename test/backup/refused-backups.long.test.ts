import { execFile } from 'node:child_process';
import { copyFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { restoreBackup, verifyBackup } from '../../src/backup/restore-backup.ts';
import { type SealOptions, sealArchive } from '../../src/backup/seal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { backedUp, filledFolder, sealOptions } from './filled-folder.ts';

const DAMAGED = /is damaged, incomplete, or no backup/;

describe('restoring refuses', () => {
  /** Neither verified nor restored, and nothing is left in the data folder. */
  async function expectRefused(file: string, words: RegExp, given: Partial<SealOptions> = {}) {
    const verified = verifyBackup(file, sealOptions(given));
    await expect(verified).rejects.toThrow(words);
    if (words === DAMAGED) await expect(verified).rejects.toMatchObject({ code: 'store_failed' });
    const folder = await temporaryFolder();
    await expect(restoreBackup(file, folder, sealOptions(given))).rejects.toThrow(words);
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
      await expect(verifyBackup(changed, sealOptions()), `byte ${at}`).rejects.toThrow(DAMAGED);
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
    await sealArchive((await backups.begin()).content, file, sealOptions());
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
    await expect(restoreBackup(file, own, sealOptions())).rejects.toThrow(/is not empty \(.*citewell\.db/);
    const others = await temporaryFolder();
    await writeFile(join(others, 'letter.txt'), 'Dear');
    await expect(restoreBackup(file, others, sealOptions())).rejects.toThrow(/is not empty \(letter\.txt\)/);
    expect(await readdir(others)).toEqual(['letter.txt']);
  });
});
