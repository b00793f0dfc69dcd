import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeWholeFile } from '../../src/shared/write-whole-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('replaces a file and leaves no other', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'settings.json');
  await writeFile(file, 'before');
  await writeWholeFile(file, 'after');
  expect(await readFile(file, 'utf8')).toBe('after');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await writeWholeFile(join(folder, 'program'), new Uint8Array([1]), { mode: 0o700, flush: true });
  expect((await stat(join(folder, 'program'))).mode & 0o777).toBe(0o700);
  expect((await readdir(folder)).sort()).toEqual(['program', 'settings.json']);
});

it('leaves nothing behind if it fails', async () => {
  const folder = await temporaryFolder();
  // A file cannot replace a folder.
  await mkdir(join(folder, 'taken'));
  await expect(writeWholeFile(join(folder, 'taken'), 'text')).rejects.toMatchObject({ code: expect.any(String) });
  expect(await readdir(folder)).toEqual(['taken']);
});
