import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import { byteCount } from '../../../shared/byte-count.ts';
import type { ObjectStore } from '../../originals/object-store.ts';
import type { Database } from '../database.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { makeSingleFile } from '../sqlite/single-file.ts';
import { fillCopy } from './move-originals.ts';

interface CopyParts {
  /** The database file of SQLite that is the copy. */
  readonly path: string;
  /** The database that it was made of, which others go on changing. */
  readonly source: Pick<Database, 'reader'>;
  readonly objects: ObjectStore;
  readonly signal?: AbortSignal | undefined;
}

const NEVER = new AbortController().signal;

/** Reads the uploaded files from their storage into a copy of the database, one at a time, so that it is a whole backup. */
export async function completeCopy({ path, source, objects, signal = NEVER }: CopyParts): Promise<void> {
  const database = await openSqlite({ path, readers: 1, isCopying: true });
  try {
    const isGone = async (object: string) => !(await isReferredTo(source, object));
    for await (const event of fillCopy({ database, objects, signal, isGone })) {
      if (event.type === 'began') await requireRoom(dirname(path), event.totalBytes);
    }
  } finally {
    await database.close();
  }
  makeSingleFile(path);
}

async function isReferredTo({ reader }: Pick<Database, 'reader'>, object: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select exists (select 1 from document_files where object = ${object})
      or exists (select 1 from version_files where object = ${object})
      or exists (select 1 from visible_originals where object = ${object}) as found`.execute(reader);
  return rows[0]?.found === 1;
}

async function requireRoom(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= needed) return;
  const words = `The uploaded files need ${byteCount(needed)}`;
  throw new ServiceError(
    'store_failed',
    `${words}, and the disk of ${folder} has ${byteCount(bavail * bsize)} free. Free some space there, and try again.`,
    { publicMessage: `${words} of free disk space, which is not there.` },
  );
}
