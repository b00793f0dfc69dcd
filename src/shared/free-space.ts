import { statfs } from 'node:fs/promises';

/** Bytes that can still be written to the disk of this folder. */
export async function freeSpaceOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
