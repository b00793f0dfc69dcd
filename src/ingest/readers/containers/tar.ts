import { ServiceError } from '../../../errors.ts';
import type { ReadDocument, Reader, ReaderInput } from '../reader.ts';
import { readArchive } from './archive.ts';
import type { InnerFile } from './inner-files.ts';
import { BLOCK, checksumFits, isTar, numberAt } from './tar-header.ts';

/** Tar archives of files of any readable format. */
export const tarReader: Reader = {
  read: (input) => readTar(input.bytes, input),
};

/** Reads the files of a tar archive. Throws `invalid_request` and the errors of reading them. */
export function readTar(bytes: Uint8Array, input: ReaderInput): Promise<ReadDocument> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isTar(bytes)) throw new ServiceError('invalid_request', `${input.fileName} is not a readable tar archive.`);
  return readArchive([...entriesOf(buffer)], input);
}

function* entriesOf(buffer: Buffer): Generator<InnerFile, void> {
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= buffer.length; ) {
    const header = buffer.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    // Nothing after a damaged header can be parsed reliably.
    if (!checksumFits(header)) return;
    const size = numberAt(header, 124, 12);
    const start = at + BLOCK;
    const content = buffer.subarray(start, Math.min(buffer.length, start + size));
    at = start + Math.ceil(size / BLOCK) * BLOCK;
    const kind = String.fromCharCode(header[156] ?? 0);
    if (kind === 'L') longName = textOf(content.subarray(0, MAX_NAME));
    else if (kind === 'x') longName = pathIn(content) ?? longName;
    else if (kind !== 'g') {
      const name = longName ?? nameOf(header);
      longName = undefined;
      const isFile = kind === '0' || kind === '\0' || kind === '7';
      // Links and devices are ignored.
      if (isFile && !name.endsWith('/')) yield toFile(name, content, size);
    }
  }
}

const MAX_NAME = 4_096;

const toFile = (name: string, content: Buffer, size: number): InnerFile => ({
  name,
  bytes(maxBytes) {
    if (content.length < size) throw new ServiceError('invalid_request', 'The archive was cut off within it.');
    return content.length <= maxBytes ? content : undefined;
  },
});

function nameOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Text up to the first NUL. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}

/** The path among the `length key=value` records of a pax header. */
const pathIn = (content: Buffer): string | undefined =>
  /(?:^|\n)\d{1,9} path=([^\n]*)\n/.exec(content.subarray(0, 65_536).toString('utf8'))?.[1];
