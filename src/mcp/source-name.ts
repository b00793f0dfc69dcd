import type { Source } from '../citations/citation.ts';
import { graphHitName } from '../documents/graph-hit.ts';
import { titleOf } from '../toolbox/render-passages.ts';
import { documentUri } from './document-uri.ts';

export interface SourceName {
  /** Where it can be read: a resource of this server, or a page of the web. */
  readonly uri: string;
  readonly title: string;
  readonly documentId?: string;
}

/** What a source is called and where it is. */
export function sourceName(source: Source): SourceName {
  switch (source.kind) {
    case 'chunk': {
      const { documentId } = source.chunk;
      return { uri: documentUri(documentId), title: titleOf(source.chunk), documentId };
    }
    case 'document': {
      const { id, title } = source.document;
      return { uri: documentUri(id), title, documentId: id };
    }
    case 'graph': {
      const { documentId } = source.hit.sentence ?? {};
      const title = graphHitName(source.hit);
      // What was made by hand stands in no document.
      return documentId === undefined ? { uri: '', title } : { uri: documentUri(documentId), title, documentId };
    }
    case 'web':
      return { uri: source.page.url, title: source.page.title };
  }
}
