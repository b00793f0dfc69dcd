import { chmod, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { freeSpaceOn } from '../../shared/free-space.ts';
import { startSqliteThread } from './sqlite/sqlite-thread.ts';

/** The disk has too little space for a copy. */
class InsufficientSpace extends ServiceError {}

/**
 * Writes a consistent copy of the database, without the content of deleted rows, while other processes read and write
 * it. Throws `store_failed` when the disk of the copy has no room for it.
 */
export async function snapshotDatabase(path: string, copy: string, freeIn = freeSpaceOn): Promise<void> {
  await requireRoom(path, dirname(copy), freeIn);
  const thread = startSqliteThread({ path, readOnly: true });
  try {
    await thread.perform({ kind: 'query', sql: 'vacuum into ?', parameters: [copy] });
  } finally {
    await thread.close();
  }
}

/**
 * Keeps a copy of a database that is about to be migrated beside it, replacing the previous copy. If the disk has no
 * room, reports that and goes on without a copy.
 */
export async function keepBeforeUpgrade(
  path: string,
  { lastStep, report = () => undefined, freeIn }: KeepOptions,
): Promise<void> {
  const folder = dirname(path);
  const [prefix, partial] = [`${basename(path)}.before-upgrade-`, `${path}.copying`];
  const copy = join(folder, `${prefix}${lastStep}`);
  await rm(partial, { force: true });
  try {
    await snapshotDatabase(path, partial, freeIn);
    await chmod(partial, 0o600);
    const file = await open(partial, 'r');
    await file.sync().finally(() => file.close());
    await rename(partial, copy);
  } catch (error) {
    await rm(partial, { force: true });
    if (!isFull(error)) throw error;
    report(`The database ${path} is upgraded without keeping a copy of it: ${error.message}`);
    return;
  }
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix) && name !== basename(copy)) await rm(join(folder, name));
  }
  report(`The database ${path} is of an earlier version and is upgraded. A copy of it as it was is kept in ${copy}.`);
}

interface KeepOptions {
  /** The last migration step that the database has. */
  readonly lastStep: string;
  readonly report: ((message: string) => void) | undefined;
  /** Bytes free on the disk of a folder. */
  readonly freeIn?: (folder: string) => Promise<number>;
}

const isFull = (error: unknown): error is ServiceError =>
  error instanceof ServiceError &&
  (error instanceof InsufficientSpace || /database or disk is full/.test(error.message));

async function requireRoom(path: string, folder: string, freeIn: typeof freeSpaceOn): Promise<void> {
  const [{ size }, log, free] = await Promise.all([
    stat(path),
    stat(`${path}-wal`).catch(() => ({ size: 0 })),
    freeIn(folder),
  ]);
  const needed = size + log.size;
  if (free >= needed) return;
  throw new InsufficientSpace(
    'store_failed',
    `A copy of the database needs up to ${byteCount(needed)}, and the disk of ${folder} has ${byteCount(free)} free. ` +
      'Free some space there, and try again.',
    {
      publicMessage: `A copy of the database needs up to ${byteCount(needed)} of free disk space, which is not available.`,
    },
  );
}
