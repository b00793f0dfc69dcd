import { ServiceError } from '../../errors.ts';
import type { ReaderInput } from './reader.ts';
import { readZipEntries, streamEntry, unpackEntry, type ZipEntry } from './zip-entries.ts';

/** The parts of a document that is a zip archive. Nothing is ever written anywhere: a part's name is only a name. */
export interface ZipPackage {
  readonly names: readonly string[];
  /** A part as text, undefined when there is none of that name. */
  text(name: string): string | undefined;
  /** A part unpacked piece by piece; it does not have to fit into memory. Nothing when there is none of that name. */
  stream(name: string): AsyncGenerator<Buffer, void>;
}

/** A package with what its reader was given beside it. */
export type PackageInput = Pick<ReaderInput, 'fileName' | 'signal'> & { readonly file: ZipPackage };

export interface PackageSource {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  /** What the file should be, for messages: `a Word document`. */
  readonly what: string;
}

/** Documents of any length stay far below; archives made to fill the memory do not. */
const MAX_UNPACKED_BYTES = 100_000_000;
/** For parts that are read in passing, which costs time and no memory. */
const MAX_STREAMED_BYTES = 1_000_000_000;
const MAX_PARTS = 5_000;

/** Opens an archive with common limits on all that is taken out of it. Throws `invalid_request` and `too_large`. */
export function openZipPackage({ bytes, fileName, what }: PackageSource): ZipPackage {
  const entries = readZipEntries(bytes);
  if (entries === undefined || entries.length === 0) {
    throw new ServiceError(
      'invalid_request',
      `${fileName} is not ${what}: it is no readable archive, or one that was cut off. Send the whole file again.`,
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

/** Names of parts do not mind their case, and some programs begin them with a slash or write backslashes. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

/** Office parts are UTF-8, seldom UTF-16 with a mark. */
function decodePart(part: Buffer): string {
  const encoding =
    part[0] === 0xff && part[1] === 0xfe ? 'utf-16le' : part[0] === 0xfe && part[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(part);
}
