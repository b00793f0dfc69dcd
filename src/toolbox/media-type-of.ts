import { extname } from 'node:path';

/** Media type by file extension; for display only. */
export const mediaTypeOf = (name: string): string =>
  MEDIA_TYPES.get(extname(name).toLowerCase()) ?? 'application/octet-stream';

/** Whether files of this type can be shown as text. This includes SVG, because no host accepts it as an image. */
export const isTextual = (mediaType: string): boolean => /^text\/|json|xml/.test(mediaType);

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.csv', 'text/csv'],
  ['.tsv', 'text/tab-separated-values'],
  ['.txt', 'text/plain'],
  ['.md', 'text/markdown'],
  ['.html', 'text/html'],
  ['.json', 'application/json'],
  ['.xml', 'application/xml'],
  ['.pdf', 'application/pdf'],
  ['.zip', 'application/zip'],
  ['.db', 'application/vnd.sqlite3'],
  ['.sqlite', 'application/vnd.sqlite3'],
]);
