import { ServiceError } from '../../../errors.ts';
import type { ReaderInput } from '../reader.ts';
import { readZipEntries, streamEntry, unpackEntry, type ZipEntry } from './zip-entries.ts';

/** The parts of a zip-based document. Nothing is written to disk: a part's name is only a key. */
export interface ZipPackage {
  readonly names: readonly string[];
  /** A part as text; undefined when there is no such part. */
  text(name: string): string | undefined;
  /** A part decompressed as a stream; it need not fit into memory. Empty when there is no such part. */
  stream(name: string): AsyncGenerator<Buffer, void>;
}

/** A package together with the other inputs of its reader. */
export type PackageInput = Pick<ReaderInput, 'fileName' | 'signal'> & { readonly file: ZipPackage };

export interface PackageSource {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** Expected format, for messages: `a Word document`. */
  readonly what: string;
}

/** Real documents stay far below; zip bombs do not. */
const MAX_UNPACKED_BYTES = 100_000_000;
/** Limit for streamed parts, which cost time but no memory. */
const MAX_STREAMED_BYTES = 1_000_000_000;
const MAX_PARTS = 5_000;

/** Opens an archive with shared limits on everything extracted from it. Throws `invalid_request` and `too_large`. */
export function openZipPackage({ bytes, fileName, what }: PackageSource): ZipPackage {
  const entries = readZipEntries(bytes);
  if (entries === undefined || entries.length === 0) {
    throw new ServiceError(
      'invalid_request',
      `${fileName} cannot be read as ${what}: its ZIP archive is damaged or incomplete. Send the whole file again.`,
    );
  }
  if (entries.length > MAX_PARTS)
    throw new ServiceError('too_large', `${fileName} has ${entries.length} parts; at most ${MAX_PARTS} are read.`);

  const byName = new Map<string, ZipEntry>();
  for (const entry of entries) byName.set(keyOf(entry.name), entry);
  let left = MAX_UNPACKED_BYTES;
  let leftToStream = MAX_STREAMED_BYTES;
  const damaged = (name: string, cause: unknown) =>
    new ServiceError('invalid_request', `${fileName} is damaged at its part ${name}. Send the whole file again.`, {
      cause,
    });
  const tooLarge = (limit: number) =>
    new ServiceError('too_large', `${fileName} unpacks to more than ${limit} bytes. Split it first.`);

  return {
    names: entries.map(({ name }) => name),
    text(name) {
      const entry = byName.get(keyOf(name));
      if (entry === undefined) return undefined;
      if (entry.declaredSize > left) throw tooLarge(MAX_UNPACKED_BYTES);
      let part: Buffer | undefined;
      try {
        part = unpackEntry(bytes, entry, Math.max(1, left));
      } catch (error) {
        throw damaged(name, error);
      }
      if (part === undefined) throw tooLarge(MAX_UNPACKED_BYTES);
      left -= part.length;
      return decodePart(part);
    },
    async *stream(name) {
      const entry = byName.get(keyOf(name));
      if (entry === undefined) return;
      const pieces = streamEntry(bytes, entry);
      for (;;) {
        const next = await pieces.next().catch((error: unknown) => {
          throw damaged(name, error);
        });
        if (next.done === true) return;
        leftToStream -= next.value.length;
        if (leftToStream < 0) throw tooLarge(MAX_STREAMED_BYTES);
        yield next.value;
      }
    },
  };
}

/** Part names are case-insensitive, and some programs write a leading slash or backslashes. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

/** Office parts are UTF-8, rarely UTF-16 with a byte order mark. */
function decodePart(part: Buffer): string {
  const encoding =
    part[0] === 0xff && part[1] === 0xfe ? 'utf-16le' : part[0] === 0xfe && part[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(part);
}
