import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { inject } from 'vitest';

/** Copies an empty, migrated database to `path`; this takes less than half as long as creating one. */
export async function migratedDatabase(path: string): Promise<string> {
  await copyFile(inject('migratedDatabase'), path, constants.COPYFILE_EXCL);
  return path;
}
