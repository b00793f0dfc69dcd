import { ServiceError } from '../../errors.ts';

/** A library version the file requires, from `.gnu.version_r`. */
export interface VersionNeed {
  readonly library: string;
  /** E.g. `GLIBC_2.38`. */
  readonly name: string;
  /** Its index in `.gnu.version`. */
  readonly index: number;
  /** File offset of its flags (16 bits). */
  readonly flagsOffset: number;
}

/** A symbol of another library that the file uses, from `.dynsym`. */
export interface ImportedSymbol {
  readonly name: string;
  readonly isWeak: boolean;
  readonly versionIndex: number;
  /** File offset of the field that holds the offset of its name (32 bits). */
  readonly nameOffset: number;
  /** File offset of its version index (16 bits). */
  readonly versionOffset: number;
}

/** What a shared object imports from other libraries. */
export interface ElfImports {
  readonly needs: readonly VersionNeed[];
  readonly symbols: readonly ImportedSymbol[];
}

/** Reads the imports of an ELF64 little-endian shared object (x64 and arm64 alike). Throws for any other file. */
export function readElfImports(file: Buffer): ElfImports {
  try {
    const sections = readSections(file);
    return { needs: readNeeds(file, sections), symbols: readSymbols(file, sections) };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('store_failed', 'It is cut off or damaged: its tables point outside the file.', {
      cause: error,
    });
  }
}

const ELF64_LITTLE_ENDIAN = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const SECTION_HEADER_BYTES = 64;
const SYMBOL_BYTES = 24;
const SYMBOL_TABLE = 11;
const VERSION_NEEDS = 0x6ffffffe;
const VERSION_INDEXES = 0x6fffffff;

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  /** The section that holds its strings, or the section its entries describe. */
  readonly link: number;
  /** Number of entries, for version needs. */
  readonly info: number;
}

function readSections(file: Buffer): Section[] {
  if (!file.subarray(0, ELF64_LITTLE_ENDIAN.length).equals(ELF64_LITTLE_ENDIAN)) {
    throw new ServiceError('store_failed', 'It is not a 64-bit little-endian ELF file.');
  }
  const start = Number(file.readBigUInt64LE(40));
  const count = file.readUInt16LE(60);
  if (file.readUInt16LE(58) !== SECTION_HEADER_BYTES) {
    throw new ServiceError('store_failed', 'It has no section headers of the usual size.');
  }
  return Array.from({ length: count }, (_, index) => {
    const header = start + index * SECTION_HEADER_BYTES;
    return {
      type: file.readUInt32LE(header + 4),
      offset: Number(file.readBigUInt64LE(header + 24)),
      size: Number(file.readBigUInt64LE(header + 32)),
      link: file.readUInt32LE(header + 40),
      info: file.readUInt32LE(header + 44),
    };
  });
}

function sectionOf(sections: readonly Section[], type: number, what: string): Section {
  const section = sections.find((each) => each.type === type);
  if (!section) throw new ServiceError('store_failed', `It has no ${what}.`);
  return section;
}

function readString(file: Buffer, strings: Section | undefined, offset: number): string {
  if (!strings || offset >= strings.size) throw new RangeError(`No string at ${offset}.`);
  const start = strings.offset + offset;
  const end = file.indexOf(0, start);
  if (end < 0) throw new RangeError(`The string at ${offset} does not end.`);
  return file.toString('latin1', start, end);
}

function readNeeds(file: Buffer, sections: readonly Section[]): VersionNeed[] {
  const table = sectionOf(sections, VERSION_NEEDS, 'version needs');
  const strings = sections[table.link];
  const needs: VersionNeed[] = [];
  let library = table.offset;
  for (let libraries = table.info; libraries > 0; libraries -= 1) {
    let need = library + file.readUInt32LE(library + 8);
    for (let left = file.readUInt16LE(library + 2); left > 0; left -= 1) {
      needs.push({
        library: readString(file, strings, file.readUInt32LE(library + 4)),
        name: readString(file, strings, file.readUInt32LE(need + 8)),
        index: file.readUInt16LE(need + 6),
        flagsOffset: need + 4,
      });
      need += stepFrom(file, need + 12);
    }
    library += stepFrom(file, library + 12);
  }
  return needs;
}

// The last entry has no successor. A damaged entry count then immediately runs past the end of the file, instead of
// reading the same entry up to four billion times.
function stepFrom(file: Buffer, offset: number): number {
  return file.readUInt32LE(offset) || file.length;
}

function readSymbols(file: Buffer, sections: readonly Section[]): ImportedSymbol[] {
  const table = sectionOf(sections, SYMBOL_TABLE, 'dynamic symbols');
  const versions = sectionOf(sections, VERSION_INDEXES, 'symbol versions');
  const strings = sections[table.link];
  const symbols: ImportedSymbol[] = [];
  // The first symbol is always empty.
  for (let index = 1; index < table.size / SYMBOL_BYTES; index += 1) {
    const symbol = table.offset + index * SYMBOL_BYTES;
    const isDefinedHere = file.readUInt16LE(symbol + 6) !== 0;
    if (isDefinedHere) continue;
    const versionOffset = versions.offset + index * 2;
    symbols.push({
      name: readString(file, strings, file.readUInt32LE(symbol)),
      isWeak: file.readUInt8(symbol + 4) >> 4 === 2,
      versionIndex: file.readUInt16LE(versionOffset) & 0x7fff,
      nameOffset: symbol,
      versionOffset,
    });
  }
  return symbols;
}
