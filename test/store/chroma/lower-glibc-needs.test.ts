import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { readElfImports } from '../../../src/store/chroma/elf-imports.ts';
import { readGlibcVersion } from '../../../src/store/chroma/glibc.ts';
import { lowerGlibcNeeds, newestGlibcNeeded } from '../../../src/store/chroma/lower-glibc-needs.ts';
import { tinyElf } from './tiny-elf.ts';

const old = { major: 2, minor: 36 };

const binding = tinyElf([
  { name: 'pthread_create', version: 'GLIBC_2.34' },
  { name: 'memcpy', version: 'GLIBC_2.14' },
  { name: '__isoc23_strtol', version: 'GLIBC_2.38' },
  { name: 'malloc', version: 'GLIBC_2.2.5' },
  { name: 'pidfd_spawnp', version: 'GLIBC_2.39', isWeak: true },
]);

describe('lowering the glibc version that a native module requires', () => {
  it('finds the newest required version', () => {
    expect(newestGlibcNeeded(binding)).toEqual({ major: 2, minor: 39 });
    expect(newestGlibcNeeded(tinyElf([{ name: 'x', version: 'GLIBC_PRIVATE' }]))).toBeUndefined();
  });

  it('maps C23 variants to their plain names and the oldest version', () => {
    const { needs, symbols } = readElfImports(lowerGlibcNeeds(binding, old));
    const versionOf = new Map(needs.map(({ index, name }) => [index, name]));
    expect(symbols.map(({ name, versionIndex }) => `${name}@${versionOf.get(versionIndex)}`)).toEqual([
      'pthread_create@GLIBC_2.34',
      'memcpy@GLIBC_2.14',
      'strtol@GLIBC_2.2.5',
      'malloc@GLIBC_2.2.5',
      'pidfd_spawnp@GLIBC_2.39',
    ]);
  });

  it('makes only requirements of missing versions weak', () => {
    const copy = lowerGlibcNeeds(binding, old);
    const weak = readElfImports(copy).needs.filter(({ flagsOffset }) => copy.readUInt16LE(flagsOffset) === 2);
    expect(weak.map(({ name }) => name)).toEqual(['GLIBC_2.38', 'GLIBC_2.39']);
  });

  it('changes neither the original, nor a copy without too new requirements', () => {
    const before = Buffer.from(binding);
    lowerGlibcNeeds(binding, old);
    expect(binding.equals(before)).toBe(true);
    expect(lowerGlibcNeeds(binding, { major: 2, minor: 39 }).equals(binding)).toBe(true);
  });

  it('refuses a module that uses a newer symbol, and names it', () => {
    expect(() => lowerGlibcNeeds(binding, { major: 2, minor: 31 })).toThrow(
      'It needs pthread_create of GLIBC_2.34, but glibc 2.31 is installed.',
    );
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a text', Buffer.from('no library at all, but long enough to have a header of sixty-four bytes')],
    ['a 32-bit library', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, ...Array<number>(100).fill(0)])],
    ['a big-endian library', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 2, ...Array<number>(100).fill(0)])],
    ['a library without tables', binding.subarray(0, 64)],
    ['a library that is cut off', binding.subarray(0, binding.length - 100)],
  ])('refuses %s with a reason', (_, file) => {
    expect(() => lowerGlibcNeeds(file, old)).toThrow(ServiceError);
  });

  it('ends with a result or a reason whatever bytes are damaged', () => {
    const damage = fc.array(fc.tuple(fc.nat(binding.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(damage, (changes) => {
        const file = Buffer.from(binding);
        for (const [place, byte] of changes) file[place] = byte;
        try {
          expect(lowerGlibcNeeds(file, old)).toHaveLength(file.length);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('reading a glibc version', () => {
  it.each([
    ['2.36', { major: 2, minor: 36 }],
    ['GLIBC_2.2.5', { major: 2, minor: 2 }],
    ['GLIBC_PRIVATE', undefined],
    ['GLIBCXX_3.4.29', undefined],
    ['', undefined],
  ])('%j means %j', (text, version) => {
    expect(readGlibcVersion(text)).toEqual(version);
  });
});
