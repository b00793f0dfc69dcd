import { link, open, rename, rm } from 'node:fs/promises';

/**
 * Moves a complete file to another name in the same file system. The file appears there as a whole, and an existing
 * file is never replaced: the error then has the code `EEXIST`, and the file keeps its name.
 */
export async function moveToNewName(from: string, to: string, makeLink: typeof link = link): Promise<void> {
  try {
    await makeLink(from, to);
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') throw error;
    // FAT, many network shares and some mounts of containers have no hard links, and report that with various codes.
    await moveWithoutLink(from, to);
    return;
  }
  await rm(from);
}

async function moveWithoutLink(from: string, to: string): Promise<void> {
  // An empty file takes the name, because rename() replaces files without asking.
  await (await open(to, 'wx', 0o600)).close();
  try {
    await rename(from, to);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
