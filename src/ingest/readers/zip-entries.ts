import { inflateRawSync } from 'node:zlib';
import { ServiceError } from '../../errors.ts';

export interface ZipEntry {
  readonly name: string;
  readonly compressedSize: number;
  /** As the archive declares it, which may be a lie. */
  readonly declaredSize: number;
  readonly method: number;
  readonly headerOffset: number;
}

const END_RECORD = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const MAX_ENTRIES = 10_000;

/** The central directory of a zip archive; undefined when there is none that can be read. */
export function readZipEntries(bytes: Uint8Array): ZipEntry[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEndRecord(buffer);
  if (end === undefined) return undefined;
  const count = buffer.readUInt16LE(end + 10);
  let offset = buffer.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  for (let index = 0; index < Math.min(count, MAX_ENTRIES); index++) {
    if (offset + 46 > buffer.length || buffer.readUInt32LE(offset) !== DIRECTORY_ENTRY) return undefined;
    const nameLength = buffer.readUInt16LE(offset + 28);
    entries.push({
      name: buffer.toString('utf8', offset + 46, offset + 46 + nameLength),
      method: buffer.readUInt16LE(offset + 10),
      compressedSize: buffer.readUInt32LE(offset + 20),
      declaredSize: buffer.readUInt32LE(offset + 24),
      headerOffset: buffer.readUInt32LE(offset + 42),
    });
    offset += 46 + nameLength + buffer.readUInt16LE(offset + 30) + buffer.readUInt16LE(offset + 32);
  }
  return entries;
}

function findEndRecord(buffer: Buffer): number | undefined {
  // The record may be followed by a comment of at most 64 KB.
  for (let offset = buffer.length - 22; offset >= Math.max(0, buffer.length - 65_557); offset--) {
    if (buffer.readUInt32LE(offset) === END_RECORD) return offset;
  }
  return undefined;
}

/** Unpacks one entry; undefined when it is larger than `maxBytes`, whatever the archive declares. Throws `invalid_request`. */
export function unpackEntry(bytes: Uint8Array, entry: ZipEntry, maxBytes: number): Buffer | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { headerOffset, name, method, compressedSize } = entry;
  const damaged = (cause?: unknown) =>
    new ServiceError('invalid_request', `The archive is damaged at its part ${name}.`, { cause });
  if (headerOffset + 30 > buffer.length || buffer.readUInt32LE(headerOffset) !== LOCAL_HEADER) throw damaged();
  const start = headerOffset + 30 + buffer.readUInt16LE(headerOffset + 26) + buffer.readUInt16LE(headerOffset + 28);
  const packed = buffer.subarray(start, start + compressedSize);
  if (method === 0) return packed.length <= maxBytes ? packed : undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw damaged(error);
  }
}

/** True for an archive that holds a Word document, whichever dialect. */
export function looksLikeWordFile(bytes: Uint8Array): boolean {
  const names = new Set(readZipEntries(bytes)?.map(({ name }) => name));
  return names.has('[Content_Types].xml') && [...names].some((name) => /^word\/document\d*\.xml$/.test(name));
}
