import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { restoreBackup, verifyBackup } from '../../src/backup/restore-backup.ts';
import { requireWritable, sealArchive } from '../../src/backup/seal.ts';
import { ingest, newChunks, newDocument } from '../support/store.ts';
import { tableContents } from '../support/table-contents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { backedUp, filledFolder, sealOptions } from './filled-folder.ts';

describe('a backup', () => {
  it.each(['without', 'with'])('holds every row and file, %s a passphrase', async (how) => {
    const passphrase = how === 'with' ? 'four words or more' : undefined;
    const { store, path, file } = await backedUp({ passphrase });
    await store.close();
    const restored = join(await temporaryFolder(), 'elsewhere');
    const manifest = await restoreBackup(file, restored, sealOptions({ passphrase }));
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
    expect(await verifyBackup(tar, sealOptions())).toMatchObject({ documents: 2 });
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

  it('whose reader fails ends with the reason of the reader', async () => {
    const { backups, path } = await filledFolder();
    const { content } = await backups.begin();
    await content.next();
    // As for a client of GET /v3/system/backup that disconnects: the pipeline destroys the stream of the archive.
    const pieces = Readable.from(content, { objectMode: false, highWaterMark: 1_000 });
    await once(pieces, 'readable');
    pieces.destroy(new Error('the client is gone'));
    await expect(finished(pieces)).rejects.toThrow('the client is gone');
    expect(await readdir(join(path, 'unfinished'))).toEqual([]);
  });

  it('is refused before anything is copied if its file cannot be written', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(requireWritable(join(folder, 'file'))).rejects.toThrow(/exists already/);
    await expect(requireWritable(join(folder, 'none', 'backup'))).rejects.toThrow(/its folder does not exist/);
    await expect(requireWritable(join(folder, 'file', 'backup'))).rejects.toThrow(/its folder is a file/);
    await requireWritable(join(folder, 'backup'));
  });

  it('never replaces a file, and leaves none behind when it is interrupted', async () => {
    const { backups, file } = await backedUp();
    const before = await readFile(file);
    const again = await backups.begin();
    await expect(sealArchive(again.content, file, sealOptions())).rejects.toThrow(/exists already/);
    expect((await readFile(file)).equals(before)).toBe(true);

    const stop = new AbortController();
    const other = join(await temporaryFolder(), 'interrupted');
    const { content } = await backups.begin();
    const sealing = sealArchive(content, other, sealOptions({ signal: stop.signal, onProgress: () => stop.abort() }));
    await expect(sealing).rejects.toMatchObject({ code: 'cancelled' });
    expect(await readdir(join(other, '..'))).toEqual([]);
  });
});

it('an interrupted restoration can be repeated', async () => {
  const { file, store } = await backedUp();
  const folder = await temporaryFolder();
  // Killed before its last step.
  await mkdir(join(folder, 'unfinished'));
  await writeFile(join(folder, 'unfinished', 'citewell.db'), 'half of it');
  await mkdir(join(folder, 'evaluations'));
  await restoreBackup(file, folder, sealOptions());
  expect((await readdir(folder)).sort()).toEqual(['citewell.db', 'evaluations', 'lock']);
  await store.close();
  expect(tableContents(join(folder, 'citewell.db'))).toEqual(tableContents(store.path));
});
