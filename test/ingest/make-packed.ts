import { crc32 } from 'node:zlib';
import type { SevenZipModuleFactory } from '7z-wasm';

interface PackedFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** An archive made by 7-Zip itself; `options` are its own, such as a password. */
export async function makeSevenZip(
  files: readonly PackedFile[],
  { type = '7z', options = [] }: { readonly type?: '7z' | 'bzip2' | 'xz'; readonly options?: readonly string[] } = {},
): Promise<Uint8Array> {
  const { default: start } = (await import('7z-wasm')) as unknown as { default: SevenZipModuleFactory };
  const { FS, callMain } = await start({ print: () => {}, printErr: () => {} });
  FS.mkdir('/in');
  FS.chdir('/in');
  for (const { name, content } of files) {
    const folders = name.split('/').slice(0, -1);
    for (const [at] of folders.entries()) {
      const path = folders.slice(0, at + 1).join('/');
      if (!FS.readdir(folders.slice(0, at).join('/') || '.').includes(folders[at] ?? '')) FS.mkdir(path);
    }
    FS.writeFile(name, content);
  }
  callMain(['a', `-t${type}`, ...options, '/out', '.']);
  const [made = ''] = FS.readdir('/').filter((name) => name.startsWith('out'));
  return FS.readFile(`/${made}`);
}

/** A RAR archive, version 5, of stored files (https://www.rarlab.com/technote.htm), which may be marked as encrypted. */
export function makeRar(files: readonly PackedFile[], { isEncrypted = false } = {}): Buffer {
  const main = block({ type: 1, fields: [0] });
  const parts = files.map(({ name, content }) => {
    const data = Buffer.from(content);
    const label = Buffer.from(name);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(crc32(data));
    // File flags: a checksum follows. Attributes, checksum, method 0 (stored), made on Unix.
    const header = [
      ...number(4),
      ...number(data.length),
      ...number(0o644),
      ...sum,
      0,
      1,
      ...number(label.length),
      ...label,
    ];
    return Buffer.concat([block({ type: 2, fields: header, data, extra: isEncrypted ? ENCRYPTION : [] }), data]);
  });
  return Buffer.concat([Buffer.from('526172211a070100', 'hex'), main, ...parts, block({ type: 5, fields: [0] })]);
}

/** A record of 37 bytes: type 1, version 0 (AES-256), no check of the password, 2^15 rounds, salt and initial vector. */
const ENCRYPTION = [36, 1, 0, 0, 15, ...Buffer.alloc(32, 7)];

interface Block {
  readonly type: number;
  readonly fields: readonly number[];
  readonly data?: Buffer;
  readonly extra?: readonly number[];
}

function block({ type, fields, data, extra = [] }: Block): Buffer {
  const flags = (extra.length > 0 ? 1 : 0) + (data === undefined ? 0 : 2);
  const sizes = [...(extra.length > 0 ? number(extra.length) : []), ...(data ? number(data.length) : [])];
  const content = [...number(type), flags, ...sizes, ...fields, ...extra];
  const sized = Buffer.from([...number(content.length), ...content]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(sized));
  return Buffer.concat([sum, sized]);
}

/** A number in the format of RAR: seven bits a byte, the lowest first. */
function number(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...number(Math.floor(value / 128))];
}

/** A cabinet of one stored file ([MS-CAB], section 2). */
export function makeCab({ name, content }: PackedFile): Buffer {
  const data = Buffer.from(content);
  const label = Buffer.from(`${name}\0`);
  const folderAt = 36;
  const fileAt = folderAt + 8;
  const dataAt = fileAt + 16 + label.length;
  const cab = Buffer.alloc(dataAt + 8);
  cab.write('MSCF', 0);
  cab.writeUInt32LE(dataAt + 8 + data.length, 8);
  cab.writeUInt32LE(fileAt, 16);
  // Version 1.3, one folder, one file.
  cab.set([3, 1, 1, 0, 1, 0], 24);
  cab.writeUInt32LE(dataAt, folderAt);
  // One block of data, stored.
  cab.writeUInt16LE(1, folderAt + 4);
  cab.writeUInt32LE(data.length, fileAt);
  cab.set(label, fileAt + 16);
  // Without a checksum, as is allowed.
  cab.writeUInt16LE(data.length, dataAt + 4);
  cab.writeUInt16LE(data.length, dataAt + 6);
  return Buffer.concat([cab, data]);
}
