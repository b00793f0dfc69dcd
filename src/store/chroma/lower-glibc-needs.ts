import { ServiceError } from '../../errors.ts';
import { readElfImports, type VersionNeed } from './elf-imports.ts';
import { type GlibcVersion, glibcName, isNewer, readGlibcVersion } from './glibc.ts';

/** Compilers rename `strtol` and its kin to C23 twins, which differ only in reading "0b" numbers. */
const C23_PREFIX = '__isoc23_';
const WEAK = 0x2;

/** The newest glibc a shared object asks for, were it only for weak symbols; undefined when it names none. */
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
 * Two things tie such a file to a newer glibc though it uses nothing new. Its `__isoc23_strtol` and the like are old
 * functions under a new name: they get the plain name and the oldest version back. And versions are demanded that only
 * weak symbols want, which may be absent: these demands are made weak as well. Any other symbol that is too new cannot
 * be had, and is refused by its name.
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
