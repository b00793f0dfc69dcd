import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe('the native module, looked for in a thread', () => {
  it('is the copy that can be loaded on this machine', async () => {
    const original = tinyElf([{ name: '__isoc23_strtol', version: 'GLIBC_2.38' }]);
    const { folder, binding } = await bindingOf(original);
    const found = await findBinding({ binding, host, cacheFolder: folder });
    expect(found).not.toBe(binding.file);
    expect((await readFile(found)).equals(original)).toBe(false);
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
