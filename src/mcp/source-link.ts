import type { Source } from '../citations/citation.ts';
import { graphHitName } from '../documents/graph-hit.ts';
import { titleOf } from '../toolbox/render-blocks.ts';
import { documentUri } from './document-uri.ts';

export interface SourceLink {
  /** URI of a resource of this server, or URL of a web page. */
  readonly uri: string;
  readonly title: string;
  readonly documentId?: string;
  readonly chunkId?: string;
}

/** Title and URI of a source. */
export function sourceLink(source: Source): SourceLink {
  switch (source.kind) {
    case 'chunk': {
      const { documentId, id: chunkId } = source.chunk;
      return { uri: documentUri(documentId), title: titleOf(source.chunk), documentId, chunkId };
    }
    case 'document': {
      const { id, title } = source.document;
      return { uri: documentUri(id), title, documentId: id };
    }
    case 'graph': {
      const { documentId } = source.hit.sentence ?? {};
      const title = graphHitName(source.hit);
      // Manually created graph entries belong to no document.
      return documentId === undefined ? { uri: '', title } : { uri: documentUri(documentId), title, documentId };
    }
    case 'web':
      return { uri: source.page.url, title: source.page.title };
  }
}
