import { execFile } from 'node:child_process';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of a few megabytes in memory. */
export interface SmallDisk {
  /** Fills the remaining space. */
  fill(): Promise<void>;
  /** Frees it again. */
  free(): Promise<void>;
  setWritable(isWritable: boolean): Promise<void>;
  unmount(): Promise<void>;
}

/** Creates `folder` and mounts a small disk at it; undefined without permission. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk | undefined> {
  await mkdir(folder, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'citewell-fault-test', folder]);
  } catch {
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    async fill() {
      const { bavail, bsize } = await statfs(folder);
      const file = await open(filler, 'w');
      const block = Buffer.alloc(bsize);
      try {
        for (let left = bavail + 1; left > 0; left--) await file.write(block);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler, { force: true }),
    setWritable: async (isWritable) => {
      await run('mount', ['-o', `remount,${isWritable ? 'rw' : 'ro'}`, folder]);
    },
    unmount: async () => {
      await run('umount', [folder]).catch(() => run('umount', ['-l', folder]));
    },
  };
}
