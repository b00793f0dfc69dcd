import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { filePathOf } from '../shared/file-path-of.ts';
import type { Client } from './client.ts';
import type { DocumentRecord } from './from-wire.ts';

const PAGE = 1_000;
/** A shorter identifier prefix would too often be an ordinary word. */
const MIN_PREFIX = 4;
const MAX_NAMED = 5;

/**
 * Resolves a document by its path or URL, its title, its identifier or the beginning of that. Throws `invalid_request`
 * if the reference matches no document or several.
 */
export async function documentIdOf(
  reference: string,
  client: Pick<Client, 'documentOf' | 'documents'>,
  minPrefix = MIN_PREFIX,
): Promise<string> {
  if (isUuid(reference)) return reference;
  const source = /^(https?|file):\/\//i.test(reference)
    ? URL.parse(reference)?.href
    : pathToFileURL(resolve(reference)).href;
  const bySource = source === undefined ? undefined : await client.documentOf(source);
  if (bySource !== undefined) return bySource.id;
  const byTitle: DocumentRecord[] = [];
  const byPrefix: DocumentRecord[] = [];
  const isPrefix = reference.length >= minPrefix && /^[\da-f-]+$/i.test(reference);
  for (let offset = 0; ; offset += PAGE) {
    const { documents, total } = await client.documents({ offset, limit: PAGE });
    for (const document of documents) {
      if (document.title === reference) byTitle.push(document);
      else if (isPrefix && document.id.startsWith(reference.toLowerCase())) byPrefix.push(document);
    }
    if (documents.length === 0 || offset + PAGE >= total) break;
  }
  const matches = byTitle.length > 0 ? byTitle : byPrefix;
  const [first, second] = matches;
  if (first === undefined) {
    throw new ServiceError(
      'invalid_request',
      `No document has "${reference}" as its path, title or identifier. List them: citewell documents list`,
    );
  }
  if (second === undefined) return first.id;
  const named = matches.slice(0, MAX_NAMED).map((document) => `${document.id} (${placeOf(document)})`);
  const more = matches.length > MAX_NAMED ? `, and ${matches.length - MAX_NAMED} more` : '';
  throw new ServiceError(
    'invalid_request',
    `"${reference}" means ${matches.length} documents: ${named.join(', ')}${more}. Give the identifier.`,
  );
}

/** The path or URL of a document, which tells documents with the same title apart; its title if it was uploaded. */
export function placeOf({ source, title }: DocumentRecord): string {
  if (typeof source !== 'string') return title;
  return filePathOf(source) ?? source;
}
