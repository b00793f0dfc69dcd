import { isUtf8 } from 'node:buffer';
import type { Response } from 'express';
import type { Document } from '../documents/document.ts';

/** Types a browser shows without running anything that is in them. */
const HARMLESS = /^(text\/(plain|csv|markdown)|application\/(pdf|json)|image\/(png|jpeg|gif|webp|bmp|tiff))$/;

/**
 * The bytes as they came in. They are anyone's, so what could act in our origin (HTML, SVG and whatever else is not
 * known to be harmless) is handed over as an attachment, sandboxed, and no type is left to be guessed.
 */
export function sendDownload(response: Response, { mediaType, fileName }: Document, bytes: Uint8Array): void {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isHarmless = HARMLESS.test(type);
  const charset = type.startsWith('text/') && isUtf8(bytes) ? '; charset=utf-8' : '';
  response.writeHead(200, {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(type) ? `${type}${charset}` : 'application/octet-stream',
    'Content-Length': bytes.byteLength,
    'Content-Disposition': contentDisposition(isHarmless ? 'inline' : 'attachment', fileName),
    'X-Content-Type-Options': 'nosniff',
    ...(isHarmless ? {} : { 'Content-Security-Policy': "sandbox; default-src 'none'" }),
  });
  response.end(bytes);
}

/** RFC 6266: a plain name for old readers, the true one in UTF-8 beside it. */
function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${exact}`;
}
