/** A symbol that the generated shared object imports, and its version. */
export interface WantedSymbol {
  readonly name: string;
  readonly version: string;
  readonly isWeak?: boolean;
}

/** A minimal ELF64 file with the tables a loader reads for imports; all symbols are from libc.so.6. */
export function tinyElf(symbols: readonly WantedSymbol[]): Buffer {
  const versions = [...new Set(symbols.map(({ version }) => version))];
  const strings = stringTable(['libc.so.6', ...versions, ...symbols.map(({ name }) => name)]);

  const needs = Buffer.alloc(16 + 16 * versions.length);
  needs.writeUInt16LE(1, 0);
  needs.writeUInt16LE(versions.length, 2);
  needs.writeUInt32LE(strings.offsetOf('libc.so.6'), 4);
  needs.writeUInt32LE(16, 8);
  for (const [index, version] of versions.entries()) {
    const at = 16 + 16 * index;
    needs.writeUInt16LE(index + 2, at + 6);
    needs.writeUInt32LE(strings.offsetOf(version), at + 8);
    needs.writeUInt32LE(index + 1 < versions.length ? 16 : 0, at + 12);
  }

  const table = Buffer.alloc(24 * (symbols.length + 1));
  const indexes = Buffer.alloc(2 * (symbols.length + 1));
  for (const [index, { name, version, isWeak }] of symbols.entries()) {
    table.writeUInt32LE(strings.offsetOf(name), 24 * (index + 1));
    table.writeUInt8(isWeak ? 0x22 : 0x12, 24 * (index + 1) + 4);
    indexes.writeUInt16LE(versions.indexOf(version) + 2, 2 * (index + 1));
  }

  return assemble([
    { type: 3, link: 0, info: 0, bytes: strings.bytes },
    { type: 11, link: 1, info: 1, bytes: table },
    { type: 0x6fffffff, link: 2, info: 0, bytes: indexes },
    { type: 0x6ffffffe, link: 1, info: 1, bytes: needs },
  ]);
}

function stringTable(words: readonly string[]): { bytes: Buffer; offsetOf(word: string): number } {
  const text = `\0${words.join('\0')}\0`;
  return { bytes: Buffer.from(text, 'latin1'), offsetOf: (word) => text.indexOf(`\0${word}\0`) + 1 };
}

interface TinySection {
  readonly type: number;
  readonly link: number;
  readonly info: number;
  readonly bytes: Buffer;
}

function assemble(sections: readonly TinySection[]): Buffer {
  const header = Buffer.alloc(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(64, 58);
  header.writeUInt16LE(sections.length + 1, 60);
  const headers = [Buffer.alloc(64)];
  let offset = 64;
  for (const { type, link, info, bytes } of sections) {
    const entry = Buffer.alloc(64);
    entry.writeUInt32LE(type, 4);
    entry.writeBigUInt64LE(BigInt(offset), 24);
    entry.writeBigUInt64LE(BigInt(bytes.length), 32);
    entry.writeUInt32LE(link, 40);
    entry.writeUInt32LE(info, 44);
    headers.push(entry);
    offset += bytes.length;
  }
  header.writeBigUInt64LE(BigInt(offset), 40);
  return Buffer.concat([header, ...sections.map(({ bytes }) => bytes), ...headers]);
}
