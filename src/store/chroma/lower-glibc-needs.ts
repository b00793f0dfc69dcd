import { ServiceError } from '../../errors.ts';
import { readElfImports, type VersionNeed } from './elf-imports.ts';
import { type GlibcVersion, glibcName, isNewer, readGlibcVersion } from './glibc.ts';

/** Compilers rename `strtol` and related functions to C23 variants, which differ only in reading "0b" numbers. */
const C23_PREFIX = '__isoc23_';
const WEAK = 0x2;

/** The newest glibc version a shared object requires, weak symbols included; undefined when it names none. */
export function newestGlibcNeeded(file: Buffer): GlibcVersion | undefined {
  let newest: GlibcVersion | undefined;
  for (const need of readElfImports(file).needs) {
    const version = readGlibcVersion(need.name);
    if (version && (!newest || isNewer(version, newest))) newest = version;
  }
  return newest;
}

/**
 * A copy of an ELF64 shared object that loads with the installed glibc.
 *
 * Two things tie such a file to a newer glibc although it uses no new feature. `__isoc23_strtol` and the like are old
 * functions under a new name: they are renamed back and get the oldest version. And some versions are required only by
 * weak symbols, which may be absent: these requirements are made weak as well. Throws for any other symbol that is too
 * new, naming it.
 */
export function lowerGlibcNeeds(file: Buffer, installed: GlibcVersion): Buffer {
  const { needs, symbols } = readElfImports(file);
  const tooNew = needs.filter((need) => isTooNew(need, installed));
  const copy = Buffer.from(file);
  const oldest = oldestOfLibc(needs);
  for (const symbol of symbols) {
    const need = tooNew.find((each) => each.index === symbol.versionIndex);
    if (!need || symbol.isWeak) continue;
    if (!symbol.name.startsWith(C23_PREFIX) || !oldest) {
      throw new ServiceError(
        'store_failed',
        `It needs ${symbol.name} of ${need.name}, but glibc ${glibcName(installed)} is installed.`,
      );
    }
    copy.writeUInt32LE(file.readUInt32LE(symbol.nameOffset) + C23_PREFIX.length, symbol.nameOffset);
    copy.writeUInt16LE(oldest.index, symbol.versionOffset);
  }
  for (const { flagsOffset } of tooNew) copy.writeUInt16LE(file.readUInt16LE(flagsOffset) | WEAK, flagsOffset);
  return copy;
}

function isTooNew(need: VersionNeed, installed: GlibcVersion): boolean {
  const version = readGlibcVersion(need.name);
  return version !== undefined && isNewer(version, installed);
}

function oldestOfLibc(needs: readonly VersionNeed[]): VersionNeed | undefined {
  let oldest: { readonly need: VersionNeed; readonly version: GlibcVersion } | undefined;
  for (const need of needs) {
    const version = need.library.startsWith('libc.so') ? readGlibcVersion(need.name) : undefined;
    if (version && (!oldest || isNewer(oldest.version, version))) oldest = { need, version };
  }
  return oldest?.need;
}
