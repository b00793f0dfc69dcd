import type { FetchedPage } from '../web/page-fetcher.ts';
import { declaredCharset } from './readers/html/html-charset.ts';

/**
 * Converts the bytes to UTF-8 when the server names another encoding and neither the bytes nor the page contradict it,
 * because the readers see only the bytes and would have to guess.
 */
export function inUtf8({
  bytes,
  charset,
  mediaType,
}: Pick<FetchedPage, 'bytes' | 'charset' | 'mediaType'>): Uint8Array {
  if (charset === undefined || /^utf-?8$/.test(charset) || !/^text\/|xml|json/.test(mediaType ?? '')) return bytes;
  if (hasMark(bytes) || decoded(bytes, 'utf-8') !== undefined || declaredCharset(bytes) !== undefined) return bytes;
  const text = decoded(bytes, charset);
  return text === undefined ? bytes : Buffer.from(text, 'utf8');
}

const hasMark = ([a, b, c]: Uint8Array): boolean =>
  (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0xef && b === 0xbb && c === 0xbf);

function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
