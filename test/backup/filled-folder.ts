import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBackups } from '../../src/backup/create-backups.ts';
import { type SealOptions, sealArchive } from '../../src/backup/seal.ts';
import { ingest, newChunks, newDocument, openTestStore } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const sealOptions = (given: Partial<SealOptions> = {}): SealOptions => ({
  passphrase: undefined,
  keyWork: 10,
  onProgress: () => undefined,
  signal: new AbortController().signal,
  ...given,
});

/** A store with a few documents, one of them incompressible, and an evaluation. */
export async function filledFolder() {
  const store = await openTestStore();
  const path = join(store.path, '..');
  await ingest(store, newDocument('one'), newChunks(5));
  await ingest(store, { ...newDocument('two'), bytes: randomBytes(700_000) }, newChunks(3));
  await mkdir(join(path, 'evaluations'));
  await writeFile(join(path, 'evaluations', '2026-01-02T03-04-05.678Z.json'), '{"an": "evaluation"}');
  const folder = { path, databaseFile: join(path, 'citewell.db'), unfinishedFolder: join(path, 'unfinished') };
  return { store, path, backups: createBackups({ store, folder, version: '1.2.3' }) };
}

/** The same, with a backup of it. */
export async function backedUp(given: Partial<SealOptions> = {}) {
  const filled = await filledFolder();
  const file = join(await temporaryFolder(), 'backup');
  const { content, bytes } = await filled.backups.begin();
  await sealArchive(content, file, sealOptions(given));
  return { ...filled, file, bytes };
}
