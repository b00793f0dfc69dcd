import { documentTypeOf } from '../documents/chunk.ts';
import type { Source } from './citation.ts';

/** Short name of the format of the cited document; undefined for web pages and manual graph entries. */
export function documentTypeOfSource(source: Source): string | undefined {
  switch (source.kind) {
    case 'chunk':
      return documentTypeOf(source.chunk);
    case 'document':
      return source.document.type;
    case 'graph':
      return source.hit.sentence?.documentType;
    case 'web':
      return undefined;
  }
}
