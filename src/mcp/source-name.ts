import type { Source } from '../citations/citation.ts';
import { titleOf } from '../toolbox/render-passages.ts';

/** The document behind a source. */
export function sourceName(source: Source): { readonly documentId: string; readonly title: string } {
  switch (source.kind) {
    case 'chunk':
      return { documentId: source.chunk.documentId, title: titleOf(source.chunk) };
    case 'document':
      return { documentId: source.document.id, title: source.document.title };
  }
}
