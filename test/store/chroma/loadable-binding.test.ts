import { lstat, readdir, readFile, rename, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeChroma } from '../../../src/store/chroma/describe-chroma.ts';
import {
  type BindingHost,
  bindingPackageName,
  findBindingPackage,
  loadableBinding,
  thisHost,
} from '../../../src/store/chroma/loadable-binding.ts';
import { bindingCache } from '../../support/embedded-chroma.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { tinyElf } from './tiny-elf.ts';

const debian: BindingHost = { platform: 'linux', architecture: 'x64', glibc: { major: 2, minor: 36 } };

describe('the package of the native Chroma', () => {
  it.each([
    [debian, 'chromadb-js-bindings-linux-x64-gnu'],
    [{ ...debian, architecture: 'arm64' }, 'chromadb-js-bindings-linux-arm64-gnu'],
    [{ platform: 'darwin', architecture: 'arm64', glibc: undefined }, 'chromadb-js-bindings-darwin-arm64'],
    [{ platform: 'win32', architecture: 'x64', glibc: undefined }, 'chromadb-js-bindings-win32-x64-msvc'],
  ])('matches the platform', (host, name) => {
    expect(bindingPackageName(host)).toBe(name);
  });

  it.each([
    [{ ...debian, glibc: undefined }, 'linux-x64-musl'],
    [{ ...debian, architecture: 'riscv64' }, 'linux-riscv64-gnu'],
    [{ platform: 'freebsd', architecture: 'x64', glibc: undefined }, 'freebsd-x64'],
  ])('is refused on an unsupported platform, with a remedy', (host, target) => {
    expect(() => bindingPackageName(host)).toThrow(
      expect.objectContaining({
        code: 'not_configured',
        message: expect.stringMatching(new RegExp(`${target}.*CHROMA_URL`)),
      }),
    );
  });

  it('is named as missing when optional dependencies were not installed', async () => {
    const elsewhere =
      thisHost().platform === 'darwin' ? debian : { platform: 'darwin', architecture: 'x64', glibc: undefined };
    await expect(findBindingPackage(elsewhere)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(/needs the package chromadb-js-bindings-\S+, .*--include=optional.*CHROMA_URL/),
    });
  });
});

describe('a native module that asks for a newer glibc', () => {
  const asksForMore = tinyElf([
    { name: '__isoc23_strtol', version: 'GLIBC_2.38' },
    { name: 'malloc', version: 'GLIBC_2.2.5' },
  ]);
  const bindingOf = async (bytes: Buffer) => {
    const file = join(await temporaryFolder(), 'original.node');
    await writeFile(file, bytes);
    return { name: 'chromadb-js-bindings-linux-x64-gnu', version: '9.9.9', file };
  };

  it('is loaded from a copy, created once and shared by concurrent starts', async () => {
    const binding = await bindingOf(asksForMore);
    const cache = join(await temporaryFolder(), 'cache');
    const [copy, ...others] = await Promise.all([1, 2, 3].map(() => loadableBinding(binding, debian, cache)));
    expect(new Set([copy, ...others]).size).toBe(1);
    expect(await readdir(cache)).toHaveLength(1);
    const { ino } = await stat(copy ?? '');
    expect(await loadableBinding(binding, debian, cache)).toBe(copy);
    expect((await stat(copy ?? '')).ino).toBe(ino);
    expect((await readFile(binding.file)).equals(asksForMore)).toBe(true);
  });

  it.each([
    ['of the same size', (planted: string) => writeFile(planted, Buffer.alloc(asksForMore.length, 7))],
    ['that is cut off', (planted: string) => truncate(planted, 10)],
    [
      'that is a link',
      async (planted: string) => {
        await rename(planted, `${planted}.elsewhere`);
        await symlink(`${planted}.elsewhere`, planted);
      },
    ],
  ])('is never loaded from a planted file %s', async (_, plant) => {
    const binding = await bindingOf(asksForMore);
    const cache = join(await temporaryFolder(), 'cache');
    const copy = await loadableBinding(binding, debian, cache);
    const right = await readFile(copy);
    await plant(copy);
    expect(await loadableBinding(binding, debian, cache)).toBe(copy);
    expect((await readFile(copy)).equals(right)).toBe(true);
    expect((await lstat(copy)).isFile()).toBe(true);
  });

  it('deletes copies that were not used for long, and nothing else', async () => {
    const cache = await temporaryFolder();
    await writeFile(join(cache, 'other.bin'), '');
    const old = await loadableBinding(await bindingOf(asksForMore), debian, cache);
    const inUse = await loadableBinding(await bindingOf(asksForMore), debian, cache);
    const longAgo = new Date(Date.now() - 31 * 24 * 3_600_000);
    await utimes(old, longAgo, longAgo);
    const next = await loadableBinding(await bindingOf(asksForMore), debian, cache);
    expect((await readdir(cache)).map((name) => join(cache, name)).sort()).toEqual(
      [inUse, next, join(cache, 'other.bin')].sort(),
    );
  });

  it('is loaded unchanged when the system’s glibc is new enough', async () => {
    const binding = await bindingOf(asksForMore);
    const cache = join(await temporaryFolder(), 'cache');
    expect(await loadableBinding(binding, { ...debian, glibc: { major: 2, minor: 41 } }, cache)).toBe(binding.file);
    expect(await loadableBinding(binding, { platform: 'darwin', architecture: 'arm64', glibc: undefined }, cache)).toBe(
      binding.file,
    );
    await expect(stat(cache)).rejects.toThrow();
  });

  it('is refused with its package name and a remedy when it cannot be adapted', async () => {
    const binding = await bindingOf(tinyElf([{ name: 'brand_new', version: 'GLIBC_2.50' }]));
    await expect(loadableBinding(binding, debian, await temporaryFolder())).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(
        /chromadb-js-bindings-linux-x64-gnu 9\.9\.9 .*brand_new of GLIBC_2\.50.*CHROMA_URL/,
      ),
    });
  });
});

describe('doctor’s report on the embedded Chroma', () => {
  it('names the package, the versions and the file that is loaded', async () => {
    const facts = await describeChroma(bindingCache);
    expect(facts).toMatchObject({ loadable: true, problem: null, packageVersion: expect.stringMatching(/^\d+\./) });
    expect(facts.packageName).toBe(bindingPackageName(thisHost()));
    expect((await stat(facts.file ?? '')).isFile()).toBe(true);
  });

  it('says why it cannot be loaded', async () => {
    expect(await describeChroma(bindingCache, { ...debian, glibc: undefined })).toMatchObject({
      loadable: false,
      file: null,
      problem: expect.stringContaining('musl'),
    });
  });
});
