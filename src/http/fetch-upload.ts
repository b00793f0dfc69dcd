import { ServiceError } from '../errors.ts';
import { documentOfSource } from '../ingest/document-of-source.ts';
import { inUtf8 } from '../ingest/in-utf8.ts';
import type { HttpServices } from './http-services.ts';
import type { Upload } from './receive-upload.ts';

interface FetchParts extends Pick<HttpServices, 'sources' | 'web'> {
  readonly ownerId: string;
  readonly signal: AbortSignal;
}

/**
 * Returns the upload with the page or file at this URL as its file. It replaces only the document that was previously
 * fetched from the same URL. Throws the errors of `fetchPage`.
 */
export async function fetchUpload(upload: Upload, url: string, parts: FetchParts): Promise<Upload> {
  const { sources, web, ownerId, signal } = parts;
  if (web === undefined) throw new ServiceError('not_configured', 'This service has no web access.');
  const page = await web.fetchPage(url, { signal });
  // The requested address, so that a changing redirect does not create a second document.
  const source = new URL(url).href;
  const { id } = await documentOfSource(source, ownerId, sources);
  const { url: _, ...fields } = upload.fields;
  return {
    fields: { ...fields, id, source, replace: true },
    file: { bytes: inUtf8(page), fileName: page.fileName, mediaType: page.mediaType ?? 'application/octet-stream' },
  };
}
