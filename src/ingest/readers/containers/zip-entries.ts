import { isUtf8 } from 'node:buffer';
import { createInflateRaw, inflateRawSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { ServiceError } from '../../../errors.ts';
import { guessLegacyEncoding } from '../encoding/guess-legacy-encoding.ts';

export interface ZipEntry {
  readonly name: string;
  readonly compressedSize: number;
  /** As declared by the archive; not trustworthy. */
  readonly declaredSize: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly headerOffset: number;
}

const END_RECORD = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const LARGE_LOCATOR = 0x07064b50;
const LARGE_END_RECORD = 0x06064b50;
const MAX_ENTRIES = 10_000;

/** Where the central directory begins in a zip archive whose end, from `base` on, is given. */
export function zipDirectoryStart(end: Uint8Array, base: number): number | undefined {
  return findDirectory(Buffer.from(end.buffer, end.byteOffset, end.byteLength), base)?.offset;
}

/**
 * The central directory of a zip archive, or of its end from `base` on; undefined when there is no valid one. Offsets
 * are those in the archive.
 */
export function readZipEntries(bytes: Uint8Array, base = 0): ZipEntry[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = findDirectory(buffer, base);
  if (directory === undefined || directory.offset < base) return undefined;
  let offset = directory.offset - base;
  const entries: ZipEntry[] = [];
  for (let index = 0; index < Math.min(directory.count, MAX_ENTRIES); index++) {
    if (offset + 46 > buffer.length || buffer.readUInt32LE(offset) !== DIRECTORY_ENTRY) return undefined;
    const nameEnd = offset + 46 + buffer.readUInt16LE(offset + 28);
    const extraEnd = nameEnd + buffer.readUInt16LE(offset + 30);
    const large = largeNumbers(buffer.subarray(nameEnd, extraEnd));
    const read = (at: number): number => {
      const value = buffer.readUInt32LE(at);
      return value === IN_EXTRA_FIELD ? (large.shift() ?? value) : value;
    };
    // The extra field lists the values in this order, each only when the short field is saturated.
    const declaredSize = read(offset + 24);
    const compressedSize = read(offset + 20);
    const headerOffset = read(offset + 42);
    const name = decodeName(buffer.subarray(offset + 46, nameEnd));
    const isEncrypted = (buffer.readUInt16LE(offset + 8) & 1) === 1;
    const method = buffer.readUInt16LE(offset + 10);
    entries.push({ name, method, isEncrypted, compressedSize, declaredSize, headerOffset });
    offset = extraEnd + buffer.readUInt16LE(offset + 32);
  }
  return entries;
}

/** Older programs write names in a regional code page. */
const decodeName = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString('utf8') : iconv.decode(bytes, guessLegacyEncoding(bytes));

const IN_EXTRA_FIELD = 0xffffffff;

/** The 64-bit values of an entry's extra field; some programs write them for small archives too. */
function largeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    return Array.from({ length: Math.floor(field.length / 8) }, (_, index) => Number(field.readBigUInt64LE(index * 8)));
  }
  return [];
}

function findDirectory(buffer: Buffer, base: number): { readonly count: number; readonly offset: number } | undefined {
  const end = findEndRecord(buffer);
  if (end === undefined) return undefined;
  const short = { count: buffer.readUInt16LE(end + 10), offset: buffer.readUInt32LE(end + 16) };
  if (short.count !== 0xffff && short.offset !== IN_EXTRA_FIELD) return short;
  if (end < 20 || buffer.readUInt32LE(end - 20) !== LARGE_LOCATOR) return short;
  const at = Number(buffer.readBigUInt64LE(end - 12)) - base;
  if (at < 0 || at + 56 > buffer.length || buffer.readUInt32LE(at) !== LARGE_END_RECORD) return undefined;
  return { count: Number(buffer.readBigUInt64LE(at + 32)), offset: Number(buffer.readBigUInt64LE(at + 48)) };
}

function findEndRecord(buffer: Buffer): number | undefined {
  // A comment of at most 64 KB may follow the record.
  for (let offset = buffer.length - 22; offset >= Math.max(0, buffer.length - 65_557); offset--) {
    if (buffer.readUInt32LE(offset) === END_RECORD) return offset;
  }
  return undefined;
}

/**
 * Decompresses one entry; undefined when it is larger than `maxBytes`, whatever the archive declares. Throws
 * `invalid_request`.
 */
export function unpackEntry(bytes: Uint8Array, entry: ZipEntry, maxBytes: number): Buffer | undefined {
  const packed = packedBytes(bytes, entry);
  if (entry.method === 0) return packed.length <= maxBytes ? packed : undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw damaged(entry, error);
  }
}

/** Decompresses one entry as a stream, for parts too large to hold in memory. Throws `invalid_request`. */
export async function* streamEntry(bytes: Uint8Array, entry: ZipEntry): AsyncGenerator<Buffer, void> {
  const packed = packedBytes(bytes, entry);
  if (entry.method === 0) {
    yield packed;
    return;
  }
  const inflate = createInflateRaw({ chunkSize: 262_144 });
  inflate.end(packed);
  try {
    for await (const piece of inflate) yield piece as Buffer;
  } catch (error) {
    throw error instanceof ServiceError ? error : damaged(entry, error);
  } finally {
    inflate.destroy();
  }
}

function packedBytes(bytes: Uint8Array, entry: ZipEntry): Buffer {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { headerOffset, compressedSize } = entry;
  if (headerOffset + 30 > buffer.length || buffer.readUInt32LE(headerOffset) !== LOCAL_HEADER) throw damaged(entry);
  const start = headerOffset + 30 + buffer.readUInt16LE(headerOffset + 26) + buffer.readUInt16LE(headerOffset + 28);
  return buffer.subarray(start, start + compressedSize);
}

const damaged = ({ name }: ZipEntry, cause?: unknown): ServiceError =>
  new ServiceError('invalid_request', `The archive is damaged at its part ${name}.`, { cause });
