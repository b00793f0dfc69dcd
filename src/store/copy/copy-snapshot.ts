import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Kysely } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { freeSpaceOn } from '../../shared/free-space.ts';
import { DATABASE_FILE } from '../data-folder.ts';
import { OWN_SETTINGS } from '../sql/copied-store.ts';
import type { Tables } from '../sql/schema.ts';
import { openSqlite } from '../sql/sqlite/open-sqlite.ts';
import { makeSingleFile } from '../sql/sqlite/single-file.ts';
import type { CopiedBytes } from '../store.ts';
import { commonTables, readCatalog } from './catalog.ts';
import { measure, readPages } from './read-pages.ts';
import { readCounter, writeCounter, writeRows } from './write-rows.ts';

interface SnapshotOptions {
  /** Where the SQLite database file is written; must not exist yet. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page of rows. */
  readonly onProgress?: ((progress: CopiedBytes) => void) | undefined;
  /** Returns the free bytes on the disk of a folder. */
  readonly freeIn?: (folder: string) => Promise<number>;
}

/**
 * Copies all records, with their keys, into a new SQLite database file. `source` is a transaction with a consistent
 * snapshot of its database, which others may change meanwhile. Derived data is not copied: the full-text indexes are
 * built when the file is first opened or copied from. The file only appears at `path` once it is complete.
 */
export async function copySnapshot(source: Kysely<Tables>, options: SnapshotOptions): Promise<void> {
  const { path, signal, onProgress, freeIn = freeSpaceOn } = options;
  const folder = `${path}.unfinished`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const file = join(folder, DATABASE_FILE);
    const { writer, reader, close } = await openSqlite({ path: file, readers: 1, isCopying: true });
    try {
      const tables = commonTables(await readCatalog(source), await readCatalog(reader));
      let total = 0;
      for (const table of tables) total += (await measure(source, table)).bytes;
      await requireRoom(total, { folder: dirname(path), freeIn });
      let done = 0;
      await writer.deleteFrom('settings').where('name', 'not in', OWN_SETTINGS).execute();
      for (const table of tables) {
        for await (const { rows, bytes } of readPages(source, table)) {
          refuseAborted(signal);
          await writer.transaction().execute((transaction) => writeRows(transaction, table, rows));
          done += bytes;
          onProgress?.({ done, total });
        }
        const counter = table.isCounted ? await readCounter(source, table) : 0;
        await writer.transaction().execute((transaction) => writeCounter(transaction, table, counter));
      }
    } finally {
      await close();
    }
    makeSingleFile(file);
    await rename(file, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new ServiceError('cancelled', 'The copy of the database was interrupted.');
}

/** Size of the file relative to its rows, allowing for pages and indexes. */
const FILE_PER_ROWS = 1.3;

async function requireRoom(
  bytes: number,
  { folder, freeIn }: { readonly folder: string } & Required<Pick<SnapshotOptions, 'freeIn'>>,
): Promise<void> {
  const needed = FILE_PER_ROWS * bytes;
  const free = await freeIn(folder);
  if (free >= needed) return;
  const words = `A copy of the database needs about ${byteCount(needed)}`;
  throw new ServiceError(
    'store_failed',
    `${words}, and the disk of ${folder} has ${byteCount(free)} free. Free some space there, and try again.`,
    { publicMessage: `${words}, but there is not enough free disk space.` },
  );
}
