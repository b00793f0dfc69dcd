import { z } from 'zod';
import type { Citation, Quote, Source, Span } from '../../citations/citation.ts';
import { addressOfSource } from '../../citations/source-address.ts';
import { graphHitName } from '../../documents/graph-hit.ts';
import { toSpan } from './citation.ts';
import { toSentencePlace } from './graph-hit.ts';
import { id, ids } from './record-parts.ts';

export const annotation = z
  .object({
    type: z.literal('url_citation'),
    url_citation: z.object({ start_index: z.int(), end_index: z.int(), url: z.string(), title: z.string() }),
    citation: z
      .object({
        id: z.string(),
        document_id: id.exactOptional(),
        chunk_id: id.exactOptional(),
        graph_id: id.exactOptional(),
        chunk_ids: ids.exactOptional(),
        link: z.string().exactOptional(),
        quotes: z.array(
          z.object({
            start: z.int(),
            end: z.int(),
            text: z.string(),
            page: z.int().nullable(),
            heading_path: z.array(z.string()),
          }),
        ),
        verdict: z.string().exactOptional(),
      })
      .describe('The passage that supports the statement, and the verdict.'),
  })
  .meta({ id: 'Annotation' });

/** A citation, with its verdict if the answer was checked. */
export interface Annotated extends Citation {
  readonly verdict?: string;
}

/**
 * Converts the citations of an answer to annotations of an OpenAI message, one per marker. `url_citation` is OpenAI's:
 * the marker's range (UTF-16 offsets, end exclusive) and the URL of the source with its quotes marked. `citation` is an
 * addition: the quote, its document, and the verdict.
 */
export function toAnnotations(citations: readonly Annotated[], origin: string) {
  return citations
    .flatMap((citation) => citation.spans.map((span) => toAnnotation(citation, span, origin)))
    .sort((one, two) => one.url_citation.start_index - two.url_citation.start_index);
}

function toAnnotation({ id, source, quotes, verdict }: Annotated, { start, end }: Span, origin: string) {
  const { url, title, sourceFields } = describe(source, origin + (addressOfSource(source, quotes) ?? ''));
  return {
    type: 'url_citation' as const,
    url_citation: { start_index: start, end_index: end, url, title },
    citation: {
      id,
      ...sourceFields,
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

function describe(source: Source, url: string) {
  switch (source.kind) {
    case 'chunk': {
      const { documentId, id, metadata } = source.chunk;
      const title = typeof metadata['title'] === 'string' ? metadata['title'] : documentId;
      return { url, title, sourceFields: { document_id: documentId, chunk_id: id } };
    }
    case 'document': {
      const { id, title } = source.document;
      return { url, title, sourceFields: { document_id: id } };
    }
    case 'graph': {
      const { id, chunkIds } = source.hit;
      const sourceFields = { graph_id: id, chunk_ids: chunkIds, ...toSentencePlace(source.hit) };
      return { url, title: graphHitName(source.hit), sourceFields };
    }
    case 'web':
      return { url: source.page.url, title: source.page.title, sourceFields: { link: source.page.url } };
  }
}
