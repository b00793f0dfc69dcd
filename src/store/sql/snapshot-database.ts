import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { startSqliteThread } from './sqlite/sqlite-thread.ts';

/**
 * Writes a copy of the database as it is at one moment, without the content of deleted rows, while others read and
 * write it. Throws `store_failed` when the disk of the copy has no room for it.
 */
export async function snapshotDatabase(path: string, copy: string): Promise<void> {
  await requireRoom(path, dirname(copy));
  const thread = startSqliteThread({ path, readOnly: true });
  try {
    await thread.perform({ kind: 'query', sql: 'vacuum into ?', parameters: [copy] });
  } finally {
    await thread.close();
  }
}

async function requireRoom(path: string, folder: string): Promise<void> {
  const [{ size }, log, { bavail, bsize }] = await Promise.all([
    stat(path),
    stat(`${path}-wal`).catch(() => ({ size: 0 })),
    statfs(folder),
  ]);
  const [needed, free] = [size + log.size, bavail * bsize];
  if (free >= needed) return;
  throw new ServiceError(
    'store_failed',
    `A copy of the database needs up to ${byteCount(needed)}, and the disk of ${folder} has ${byteCount(free)} free. ` +
      'Free some space there, and try again.',
    {
      publicMessage: `A copy of the database needs up to ${byteCount(needed)} of free disk space, which is not there.`,
    },
  );
}
