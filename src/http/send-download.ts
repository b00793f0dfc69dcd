import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Document } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import type { Original } from '../store/originals/original.ts';
import { sendPieces } from './send-csv.ts';

/** Media types that a browser displays without running their content. */
const HARMLESS = /^(text\/(plain|csv|markdown)|application\/(pdf|json)|image\/(png|jpeg|gif|webp|bmp|tiff))$/;

/**
 * Sends the original bytes. They are untrusted: types that could run in our origin (HTML, SVG, unknown ones) are sent
 * as sandboxed attachments, with sniffing disabled. Ranges are supported (RFC 9110), so a PDF opens at a page before it
 * has loaded completely. Bytes stored outside the database are streamed.
 */
export async function sendDownload(
  response: Response,
  { mediaType, fileName, contentHash }: Pick<Document, 'mediaType' | 'fileName' | 'contentHash'>,
  original: Original,
): Promise<void> {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isHarmless = HARMLESS.test(type);
  response.set({
    ETag: `"${contentHash}"`,
    'Accept-Ranges': 'bytes',
    // A document can be replaced or access to it withdrawn, so copies must be revalidated.
    'Cache-Control': 'private, no-cache',
  });
  if (response.req.fresh) {
    response.writeHead(304).end();
    return;
  }
  const { sizeInBytes } = original;
  const range = rangeOf(response.req, sizeInBytes);
  if (range === 'unsatisfiable') {
    response.set('Content-Range', `bytes */${sizeInBytes}`);
    throw new ServiceError(
      'range_not_satisfiable',
      `The file has ${sizeInBytes} bytes; the requested range begins after its end.`,
    );
  }
  const charset = type.startsWith('text/') && (await isWholeUtf8(original)) ? '; charset=utf-8' : '';
  const isHead = response.req.method === 'HEAD';
  const pieces = original.stream({ ...(range && { range }), signal: closingOf(response) })[Symbol.asyncIterator]();
  // Reads the first piece before the headers are sent, so that a storage error can become an error response.
  const first = isHead ? undefined : await pieces.next();
  response.writeHead(range === undefined ? 200 : 206, {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `${type}${charset}` : 'application/octet-stream',
    'Content-Length': range === undefined ? sizeInBytes : range.end - range.start + 1,
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${sizeInBytes}` }),
    'Content-Disposition': contentDisposition(isHarmless ? 'inline' : 'attachment', fileName),
    'X-Content-Type-Options': 'nosniff',
    ...(isHarmless ? {} : { 'Content-Security-Policy': "sandbox; default-src 'none'" }),
  });
  if (first === undefined) {
    response.end();
    return;
  }
  const all = async function* () {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  await sendPieces(response, Readable.from(all(), { objectMode: false }));
}

/** Larger texts are not read to detect UTF-8, and are sent without a charset. */
const MAX_CHECKED_BYTES = 16_000_000;

const isWholeUtf8 = async (original: Original): Promise<boolean> =>
  original.sizeInBytes <= MAX_CHECKED_BYTES && isUtf8(await original.read());

function closingOf(response: Response): AbortSignal {
  const closing = new AbortController();
  response.once('close', () => closing.abort());
  return closing.signal;
}

/**
 * The requested range, both ends inclusive. Undefined if the whole file is to be sent: for several or invalid ranges,
 * and if `If-Range` names another version of the file.
 */
function rangeOf(request: Request, size: number): { start: number; end: number } | 'unsatisfiable' | undefined {
  const condition = request.get('If-Range');
  if (condition !== undefined && condition !== request.res?.get('ETag')) return undefined;
  const ranges = request.range(size, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

/** RFC 6266: an ASCII name for old clients, and the exact name in UTF-8. */
function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
