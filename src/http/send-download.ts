import { isUtf8 } from 'node:buffer';
import type { Request, Response } from 'express';
import type { Document } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';

/** Media types that a browser displays without running their content. */
const HARMLESS = /^(text\/(plain|csv|markdown)|application\/(pdf|json)|image\/(png|jpeg|gif|webp|bmp|tiff))$/;

/**
 * Sends the original bytes. They are untrusted: types that could run in our origin (HTML, SVG, unknown ones) are sent
 * as sandboxed attachments, with sniffing disabled. Ranges are supported (RFC 9110), so a PDF opens at a page before it
 * has loaded completely.
 */
export function sendDownload(
  response: Response,
  { mediaType, fileName, contentHash }: Pick<Document, 'mediaType' | 'fileName' | 'contentHash'>,
  bytes: Uint8Array,
): void {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isHarmless = HARMLESS.test(type);
  const charset = type.startsWith('text/') && isUtf8(bytes) ? '; charset=utf-8' : '';
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
  const range = rangeOf(response.req, bytes.byteLength);
  if (range === 'unsatisfiable') {
    response.set('Content-Range', `bytes */${bytes.byteLength}`);
    throw new ServiceError(
      'range_not_satisfiable',
      `The file has ${bytes.byteLength} bytes; the requested range begins after its end.`,
    );
  }
  const part = range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
  response.writeHead(range === undefined ? 200 : 206, {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `${type}${charset}` : 'application/octet-stream',
    'Content-Length': part.byteLength,
    ...(range && { 'Content-Range': `bytes ${range.start}-${range.end}/${bytes.byteLength}` }),
    'Content-Disposition': contentDisposition(isHarmless ? 'inline' : 'attachment', fileName),
    'X-Content-Type-Options': 'nosniff',
    ...(isHarmless ? {} : { 'Content-Security-Policy': "sandbox; default-src 'none'" }),
  });
  response.end(part);
}

/**
 * The requested range, both ends inclusive; undefined when the whole file is to be sent: for several ranges, for
 * invalid ones, and for a range of another state of the file.
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
