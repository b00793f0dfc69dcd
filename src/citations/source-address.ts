import type { Source, Span } from './citation.ts';

/** Path of the page that shows a document with these spans highlighted. */
export function sourceAddress(
  documentId: string,
  { version, quotes = [] }: { readonly version?: string | undefined; readonly quotes?: readonly Span[] } = {},
): string {
  const of = version === undefined ? documentId : `${documentId}@${encodeURIComponent(version)}`;
  const query = quotes.map(({ start, end }) => `q=${start}-${end}`).join('&');
  return query === '' ? `/d/${of}` : `/d/${of}?${query}`;
}

/** Path of the page that shows a source in the version that was read; undefined for sources outside the corpus. */
export function addressOfSource(source: Source, quotes: readonly Span[]): string | undefined {
  switch (source.kind) {
    case 'chunk': {
      const { documentId, isReplaced, version } = source.chunk;
      return sourceAddress(documentId, { version: isReplaced ? version : undefined, quotes });
    }
    case 'document': {
      const { id, isReplaced, version } = source.document;
      return sourceAddress(id, { version: isReplaced ? version : undefined, quotes });
    }
    case 'graph':
      return source.hit.sentence && sourceAddress(source.hit.sentence.documentId, { quotes });
    case 'web':
      return undefined;
  }
}
