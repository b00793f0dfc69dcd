import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const GROUP_AND_OTHERS = 0o077;
const FOLDER_MODE = 0o700;

/** Names of the files Citewell keeps in its data folder. */
const OUR_NAMES =
  /^(?:citewell\.db|lock|holder\.json|server\.json|chroma|cache$|evaluations$|migration-|unfinished$|secret\.key)/;

/**
 * Restricts the data folder and Citewell's files in it to their owner. Returns the reason, for users, why others can
 * still access it; undefined when they cannot. Does nothing on systems without such modes.
 */
export async function restrictToOwner(folder: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const { mode } = await stat(folder);
  const names = await readdir(folder);
  if ((mode & GROUP_AND_OTHERS) !== 0) {
    // A home folder, or a folder shared by programs, must stay unchanged.
    const isForeign = !names.some((name) => OUR_NAMES.test(name)) && names.some((name) => name !== 'lost+found');
    if (isForeign) return `other users can reach it (mode ${octal(mode)}), and it holds other things`;
    const failure = await chmod(folder, FOLDER_MODE).catch((error: unknown) => error);
    const { mode: repaired, uid } = await stat(folder);
    if ((repaired & GROUP_AND_OTHERS) !== 0) {
      const why = failure === undefined ? 'its file system keeps no such modes' : `it belongs to user ${uid}`;
      return `other users can reach it (mode ${octal(repaired)}), which cannot be changed: ${why}`;
    }
  }
  for (const name of names) if (OUR_NAMES.test(name)) await closeEntry(join(folder, name));
  return undefined;
}

// While the folder was accessible, others may have hard-linked or opened entries, so each entry is restricted as well.
async function closeEntry(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !(found.isFile() || found.isDirectory())) return;
  if ((found.mode & GROUP_AND_OTHERS) !== 0) {
    // An entry of another user cannot be changed, and nobody else can access it through this folder.
    await chmod(path, found.mode & 0o700).catch(() => undefined);
  }
  if (found.isDirectory()) for (const name of await readdir(path)) await closeEntry(join(path, name));
}

/** The mode of a folder that others can access, as text; undefined when they cannot. */
export async function modeOpenToOthers(folder: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const { mode } = await stat(folder);
  return (mode & GROUP_AND_OTHERS) === 0 ? undefined : octal(mode);
}

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');
