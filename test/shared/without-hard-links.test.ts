import { link, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openArchive, sealArchive } from '../../src/backup/seal.ts';
import { readKeyFile } from '../../src/store/secrets/key-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  async link(from: string, to: string) {
    throw Object.assign(new Error(`EPERM: operation not permitted, link '${from}' -> '${to}'`), { code: 'EPERM' });
  },
}));

const options = { passphrase: undefined, onProgress: () => undefined, signal: new AbortController().signal };
const content = (text: string) =>
  (async function* () {
    yield Buffer.from(text);
  })();

describe('on a file system without hard links', () => {
  it('a backup is written as a whole, and replaces no file', async () => {
    const folder = await temporaryFolder();
    const file = join(folder, 'backup');
    await sealArchive(content('first'), file, options);
    await expect(sealArchive(content('second'), file, options)).rejects.toMatchObject({ code: 'conflict' });
    const read = await Array.fromAsync(openArchive(file, options));
    expect(Buffer.concat(read).toString()).toBe('first');
    expect(await readdir(folder)).toEqual(['backup']);
  });

  it('the key of stored credentials is created once', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'one'), '');
    await expect(link(join(folder, 'one'), join(folder, 'two'))).rejects.toMatchObject({ code: 'EPERM' });
    const path = join(folder, 'secret.key');
    const first = await readKeyFile(path);
    expect(await readKeyFile(path)).toBe(first);
    expect((await readFile(path, 'utf8')).trim()).toBe(first);
    expect(await readdir(folder)).toEqual(['one', 'secret.key']);
  });
});
