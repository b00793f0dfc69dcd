import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openUserCache, userCacheFolder } from '../src/user-cache.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const opened = (folder: string | undefined) => {
  const cache = openUserCache(folder);
  onTestFinished(() => cache.close());
  return cache;
};

describe("the user's cache folder", () => {
  it.each([
    [{ XDG_CACHE_HOME: '/caches' }, 'linux', '/caches/citewell'],
    [{ XDG_CACHE_HOME: 'here' }, 'linux', join(homedir(), '.cache/citewell')],
    [{}, 'darwin', join(homedir(), 'Library/Caches/citewell')],
    [{ LOCALAPPDATA: '/local' }, 'win32', '/local/citewell/Cache'],
  ] as const)('is where the system has such folders: %j on %s', (env, platform, folder) => {
    expect(userCacheFolder(env, platform)).toBe(folder);
  });

  it.skipIf(process.platform === 'win32')(
    'is made for this user alone, and closed to others where it is open',
    async () => {
      const folder = join(await temporaryFolder(), 'not/there/yet');
      expect(opened(folder)).toMatchObject({ path: folder });
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      await chmod(folder, 0o777);
      expect(opened(folder)).toMatchObject({ path: folder });
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    },
  );

  it.skipIf(process.platform === 'win32').each([
    ['a link', async (folder: string) => symlink(await temporaryFolder(), folder)],
    ['a file', (folder: string) => writeFile(folder, '')],
    ['below a file', async (folder: string) => writeFile(join(folder, '..'), '')],
  ])('is replaced by a new temporary folder when it is %s', async (_, plant) => {
    const parent = join(await temporaryFolder(), 'parent');
    const folder = join(parent, 'cache');
    await (_ === 'below a file' ? plant(folder) : mkdir(parent).then(() => plant(folder)));
    const cache = openUserCache(folder);
    expect(cache.path).not.toBe(folder);
    expect(cache.problem).toContain(folder);
    expect((await stat(cache.path)).mode & 0o777).toBe(0o700);
    expect(await readdir(cache.path)).toEqual([]);
    cache.close();
    await expect(stat(cache.path)).rejects.toThrow();
  });
});
