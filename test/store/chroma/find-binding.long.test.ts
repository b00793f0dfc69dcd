import { copyFile, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkedBinding } from '../../../src/store/chroma/checked-binding.ts';
import { findBinding } from '../../../src/store/chroma/find-binding.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { tinyElf } from './tiny-elf.ts';

const host = { platform: 'linux', architecture: 'x64', glibc: { major: 2, minor: 36 } };

async function bindingOf(bytes: Buffer) {
  const folder = await temporaryFolder();
  const file = join(folder, 'original.node');
  await writeFile(file, bytes);
  return { folder, binding: { name: 'chromadb-js-bindings-linux-x64-gnu', version: '9.9.9', file } };
}

async function replaceFile(file: string, content: string) {
  await copyFile(content, `${file}.new`);
  await rename(`${file}.new`, file);
}

describe('the native module, looked for in a thread', () => {
  it('is the copy that can be loaded on this machine', async () => {
    const original = tinyElf([{ name: '__isoc23_strtol', version: 'GLIBC_2.38' }]);
    const { folder, binding } = await bindingOf(original);
    const found = await findBinding({ binding, host, cacheFolder: folder });
    expect(found).not.toBe(binding.file);
    expect((await readFile(found)).equals(original)).toBe(false);
  });

  it('is not converted again while nothing has changed', async () => {
    const { folder, binding } = await bindingOf(tinyElf([{ name: '__isoc23_strtol', version: 'GLIBC_2.38' }]));
    const job = { binding, host, cacheFolder: folder };
    expect(await checkedBinding(job)).toBeUndefined();
    const found = await findBinding(job);
    expect(await checkedBinding(job)).toBe(found);
    expect(await findBinding(job)).toBe(found);
    expect(await checkedBinding({ ...job, host: { ...host, glibc: { major: 2, minor: 35 } } })).toBeUndefined();
  });

  it.each([
    ['copy was replaced by one of the same size', async (copy: string) => replaceFile(copy, copy)],
    [
      'copy was overwritten and its time set back',
      async (copy: string) => {
        const { atime, mtime, size } = await stat(copy);
        await writeFile(copy, Buffer.alloc(size, 7));
        await utimes(copy, atime, mtime);
      },
    ],
    [
      'copy is a link',
      async (copy: string) => {
        await rename(copy, `${copy}.elsewhere`);
        await symlink(`${copy}.elsewhere`, copy);
      },
    ],
    ['package was installed again', async (_: string, original: string) => replaceFile(original, original)],
  ])('is checked in full after the %s', async (_, change) => {
    const { folder, binding } = await bindingOf(tinyElf([{ name: '__isoc23_strtol', version: 'GLIBC_2.38' }]));
    const job = { binding, host, cacheFolder: folder };
    const found = await findBinding(job);
    const right = await readFile(found);
    await change(found, binding.file);
    expect(await checkedBinding(job)).toBeUndefined();
    expect(await findBinding(job)).toBe(found);
    expect((await readFile(found)).equals(right)).toBe(true);
    expect(await checkedBinding(job)).toBe(found);
  });

  it('is refused with its reason', async () => {
    const { folder, binding } = await bindingOf(Buffer.from('no module'));
    await expect(findBinding({ binding, host, cacheFolder: folder })).rejects.toMatchObject({
      name: 'ServiceError',
      code: 'not_configured',
      message: expect.stringContaining('CHROMA_URL'),
    });
  });

  it('is reported as missing', async () => {
    const folder = await temporaryFolder();
    const binding = { name: 'none', version: '1', file: join(folder, 'none.node') };
    await expect(findBinding({ binding, host, cacheFolder: folder })).rejects.toThrow('ENOENT');
  });
});
