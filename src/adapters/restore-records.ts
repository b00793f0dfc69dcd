import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BackupManifest } from '../backup/backup-manifest.ts';
import { flush, unpackChecked } from '../backup/restore-backup.ts';
import type { SealOptions } from '../backup/seal.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { hashFile } from '../shared/hash-file.ts';
import { moveToNewName } from '../shared/move-to-new-name.ts';
import type { CopyEvent } from '../store/copy/copy-events.ts';
import { markSource, refuseFilled } from '../store/copy/copy-progress.ts';
import { copyStore } from '../store/copy/copy-store.ts';
import { DATABASE_FILE, openDataFolder } from '../store/data-folder.ts';
import { openSqlite } from '../store/sql/sqlite/open-sqlite.ts';
import { nameOf, openPlace, targetMode } from './copy-records.ts';

interface RestoreOptions {
  readonly file: string;
  readonly url: string;
  readonly config: Pick<Config, 'dataDir'>;
  readonly seal: SealOptions;
  readonly report: (message: string) => void;
}

/**
 * Restores a backup to an empty PostgreSQL database that no server uses, and compares the two at the end. The archive
 * is unpacked in the data folder first. The same call continues an interrupted restoration of the same backup; until it
 * is complete, servers refuse to use the database.
 */
export async function* restoreToPostgres(options: RestoreOptions): AsyncGenerator<CopyEvent, BackupManifest> {
  const { file, url, config, seal, report } = options;
  const place = { kind: 'postgres', url } as const;
  const folder = await openDataFolder(config.dataDir);
  try {
    const target = await openPlace(place, { mode: await targetMode(place), mustExist: false, report });
    try {
      await refuseFilled(target);
      const { manifest, names } = await unpackChecked(file, folder.unfinishedFolder, seal);
      // Must precede the copy of the records: once they are complete, a restoration cannot be continued.
      await moveOtherFiles(names, folder.unfinishedFolder, folder.path);
      const path = join(folder.unfinishedFolder, DATABASE_FILE);
      const token = `backup ${await hashFile(path)}`;
      const database = await openSqlite({ path, readers: 2, isCopying: true });
      try {
        const source = { name: file, database };
        await markSource(source, token);
        for await (const event of copyStore(source, target, seal.signal)) {
          if (event.type === 'compared') refuseDifferent(event, nameOf(place));
          yield event;
        }
      } finally {
        await database.close();
      }
      return manifest;
    } finally {
      await target.close();
    }
  } finally {
    await rm(folder.unfinishedFolder, { recursive: true, force: true });
    await folder.close();
  }
}

function refuseDifferent({ tables }: CopyEvent & { readonly type: 'compared' }, name: string): void {
  const different = tables.filter(({ isEqual }) => !isEqual).map(({ table }) => table);
  if (different.length === 0) return;
  throw new ServiceError(
    'store_failed',
    `What ${name} now holds differs from the backup (${different.join(', ')}). Empty the database, and restore again.`,
  );
}

/** Moves the other files, such as evaluations, to the data folder; does not replace existing files. */
async function moveOtherFiles(names: readonly string[], from: string, to: string): Promise<void> {
  for (const name of names.filter((each) => each !== DATABASE_FILE)) {
    await mkdir(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    await flush(join(from, name));
    await moveToNewName(join(from, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
