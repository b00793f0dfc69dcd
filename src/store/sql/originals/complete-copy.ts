import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../../errors.ts';
import { byteCount } from '../../../shared/byte-count.ts';
import type { ObjectStore } from '../../originals/object-store.ts';
import { describeMissing, MISSING_REMEDY } from '../../originals/originals-found.ts';
import { MissingObject } from '../../originals/read-object.ts';
import type { Database } from '../database.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { makeSingleFile } from '../sqlite/single-file.ts';
import { findMissingOriginals } from './missing-originals.ts';
import { fillCopy } from './move-originals.ts';
import { holdRemovals } from './removal-holds.ts';

interface CopyParts {
  /** The SQLite database file that is the copy. */
  readonly path: string;
  /** The database that is copied, which other processes may keep changing. */
  readonly source: Pick<Database, 'reader' | 'writer'>;
  readonly objects: ObjectStore;
  readonly signal?: AbortSignal | undefined;
}

const NEVER = new AbortController().signal;

/**
 * Calls `copy` to write a copy of the database, then reads the uploaded files from the object storage into it, so that
 * it is a complete backup. Meanwhile, no server removes files from the storage.
 */
export async function copyWithFiles(parts: CopyParts, copy: () => Promise<void>): Promise<void> {
  const release = await holdRemovals(parts.source.writer);
  try {
    await copy();
    await addFiles(parts);
  } catch (error) {
    throw error instanceof MissingObject ? await explained(error, parts) : error;
  } finally {
    await release();
  }
}

async function addFiles({ path, objects, signal = NEVER }: CopyParts): Promise<void> {
  const database = await openSqlite({ path, readers: 1, isCopying: true });
  try {
    for await (const event of fillCopy({ database, objects, signal })) {
      if (event.type === 'began') await requireRoom(dirname(path), event.totalBytes);
    }
  } finally {
    await database.close();
  }
  makeSingleFile(path);
}

/** Names all documents whose files are missing, not only the first one. */
async function explained(error: MissingObject, { source, objects, signal }: CopyParts): Promise<ServiceError> {
  const found = await findMissingOriginals({ reader: source.reader, objects, signal });
  const words =
    found.missing.length === 0
      ? 'A file was removed from the storage while it was copied. Back up again.'
      : `The backup would be incomplete: ${describeMissing(found, objects.name)}. ${MISSING_REMEDY}`;
  return new ServiceError('store_failed', words, { cause: error });
}

async function requireRoom(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= needed) return;
  const words = `The uploaded files need ${byteCount(needed)}`;
  throw new ServiceError(
    'store_failed',
    `${words}, and the disk of ${folder} has ${byteCount(bavail * bsize)} free. Free some space there, and try again.`,
    { publicMessage: `${words} of free disk space, which is not available.` },
  );
}
