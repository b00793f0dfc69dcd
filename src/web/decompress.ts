import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { ServiceError } from '../errors.ts';
import { splitList } from '../shared/text.ts';

const MAX_CODINGS = 3;

/** Decodes a Content-Encoding. Throws `too_large` for more output than `maxBytes`, `provider_failed` for bad data. */
export async function decompress(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const codings = splitList((encoding ?? '').toLowerCase(), /,/).filter((name) => name !== 'identity');
  if (codings.length > MAX_CODINGS) throw new ServiceError('provider_failed', 'It is compressed too many times over.');
  let body = bytes;
  for (const coding of codings.reverse()) body = await decodeBody(coding, body, maxBytes);
  return body;
}

async function decodeBody(coding: string, bytes: Buffer, maxOutputLength: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  // Tolerate truncated data, which still contains most of the page.
  const tolerantOptions = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    switch (coding) {
      case 'gzip':
      case 'x-gzip':
        return await promisify(gunzip)(bytes, tolerantOptions);
      case 'deflate':
        return await promisify(isZlib(bytes) ? inflate : inflateRaw)(bytes, tolerantOptions);
      case 'br':
        return await promisify(brotliDecompress)(bytes, {
          maxOutputLength,
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
        });
      default:
        throw new ServiceError('provider_failed', `It is compressed in an unknown way ("${coding.slice(0, 40)}").`);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ServiceError('too_large', `It unpacks to more than ${maxOutputLength} bytes.`, { cause: error });
    }
    throw new ServiceError('provider_failed', 'Its compression is broken.', { cause: error });
  }
}

/** Servers disagree on whether `deflate` includes the two-byte zlib header. */
const isZlib = ([first = 0, second = 0]: Buffer): boolean => (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
