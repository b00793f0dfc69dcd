import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { moveToNewName } from '../../src/shared/move-to-new-name.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const failing = (code: string): typeof link => {
  return async (from, to) => {
    throw Object.assign(new Error(`${code}: link '${from}' -> '${to}'`), { code });
  };
};

describe.each([
  ['with hard links', link],
  ['without hard links, as FAT on Linux', failing('EPERM')],
  ['without hard links, as exFAT on macOS', failing('ENOTSUP')],
])('moving a file to a new name, on a file system %s', (_, makeLink) => {
  it('moves it as a whole, and replaces no file', async () => {
    const folder = await temporaryFolder();
    const at = (name: string) => join(folder, name);
    await writeFile(at('one'), 'first');
    await writeFile(at('two'), 'second');
    await moveToNewName(at('one'), at('new'), makeLink);
    expect(await readFile(at('new'), 'utf8')).toBe('first');
    await expect(moveToNewName(at('two'), at('new'), makeLink)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(at('new'), 'utf8')).toBe('first');
    expect((await readdir(folder)).sort()).toEqual(['new', 'two']);
  });

  it('leaves nothing under the new name when it fails', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'folder'));
    await expect(moveToNewName(join(folder, 'absent'), join(folder, 'new'), makeLink)).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await expect(moveToNewName(join(folder, 'folder'), join(folder, 'new'), makeLink)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['folder']);
  });
});
