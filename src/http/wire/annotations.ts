import type { Citation, Quote, Source, Span } from '../../citations/citation.ts';
import { graphHitName } from '../../documents/graph-hit.ts';
import { toSpan } from './citation.ts';

/** A citation with its verdict, where the answer was checked. */
export interface Annotated extends Citation {
  readonly verdict?: string;
}

/**
 * The citations of an answer as annotations of an OpenAI message, one per marker. `url_citation` is OpenAI's: where the
 * markers stand (UTF-16 code units, end exclusive), and an address of the source. `citation` is ours: which passage of
 * which document backs the statement, and what the check said.
 */
export function toAnnotations(citations: readonly Annotated[], origin: string) {
  return citations
    .flatMap((citation) => citation.spans.map((span) => toAnnotation(citation, span, origin)))
    .sort((one, two) => one.url_citation.start_index - two.url_citation.start_index);
}

function toAnnotation({ id, source, quotes, verdict }: Annotated, { start, end }: Span, origin: string) {
  const { url, title, place } = describe(source, origin);
  return {
    type: 'url_citation' as const,
    url_citation: { start_index: start, end_index: end, url, title },
    citation: {
      id,
      ...place,
      quotes: quotes.map(toQuote),
      ...(verdict === undefined ? {} : { verdict }),
    },
  };
}

const toQuote = (quote: Quote) => ({
  ...toSpan(quote),
  text: quote.text,
  page: quote.page,
  heading_path: quote.headingPath,
});

function describe(source: Source, origin: string) {
  switch (source.kind) {
    case 'chunk': {
      const { documentId, id, metadata } = source.chunk;
      const title = typeof metadata['title'] === 'string' ? metadata['title'] : documentId;
      return { url: downloadOf(documentId, origin), title, place: { document_id: documentId, chunk_id: id } };
    }
    case 'document': {
      const { id, title } = source.document;
      return { url: downloadOf(id, origin), title, place: { document_id: id } };
    }
    case 'graph': {
      const { id, documents, chunkIds } = source.hit;
      const [first] = documents;
      const url = first === undefined ? origin : downloadOf(first.id, origin);
      return { url, title: graphHitName(source.hit), place: { graph_id: id, chunk_ids: chunkIds } };
    }
    case 'web':
      return { url: source.page.url, title: source.page.title, place: { link: source.page.url } };
  }
}

const downloadOf = (documentId: string, origin: string): string => `${origin}/v3/documents/${documentId}/download`;
