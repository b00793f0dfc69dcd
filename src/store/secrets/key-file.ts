import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import { moveToNewName } from '../../shared/move-to-new-name.ts';

export const KEY_FILE = 'secret.key';

/** Reads the key from this file; creates it, readable by its owner only, if it does not exist. */
export async function readKeyFile(path: string): Promise<string> {
  const known = await read(path);
  if (known !== undefined) return known;
  const unfinished = `${path}.${process.pid}`;
  try {
    await writeFile(unfinished, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Fails if another process has created the file meanwhile; its key is then used.
    await moveToNewName(unfinished, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw unusable(path, error);
  } finally {
    await rm(unfinished, { force: true });
  }
  const made = await read(path);
  if (made === undefined) throw unusable(path, undefined);
  return made;
}

async function read(path: string): Promise<string | undefined> {
  try {
    const key = (await readFile(path, 'utf8')).trim();
    if (key.length < 32) throw new Error('it holds no key');
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

const unusable = (path: string, cause: unknown): ServiceError =>
  new ServiceError(
    'not_configured',
    `The key of stored credentials, ${path}, cannot be used: ${cause instanceof Error ? cause.message : 'it is not there'}. ` +
      'Restore the file, or set CITEWELL_SECRET_KEY.',
    { cause },
  );
