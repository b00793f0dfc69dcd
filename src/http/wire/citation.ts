import { z } from 'zod';
import type { Citation, Quote, Source, Span } from '../../citations/citation.ts';
import { documentTypeOfSource } from '../../citations/document-type.ts';
import { addressOfSource } from '../../citations/source-address.ts';
import { type HitContext, hitMembers, toChunkHit } from './chunk-record.ts';
import { documentRecord, toDocumentRecord } from './document-record.ts';
import { graphHitMembers, toGraphHit, toSentencePlace } from './graph-hit.ts';
import { id } from './record-parts.ts';
import { toWebRecord, webMembers } from './web-record.ts';

export const span = z
  .object({ start: z.int(), end: z.int() })
  .meta({ id: 'Span', description: 'UTF-16 offsets into the answer, end exclusive, brackets included.' });

const page = z.int().nullable();

const headingPath = z.array(z.string());

const url = z.string().exactOptional().describe('The page of the document with the quotes marked.');

const quote = z.object({ start: z.int(), end: z.int(), text: z.string(), page, heading_path: headingPath, url });

/** Location of the first quote, if there is one. */
const locationFields = { start: z.int().exactOptional(), end: z.int().optional(), page: page.optional() };

const backing = { ...locationFields, heading_path: headingPath.exactOptional(), url, quotes: z.array(quote) };

/** Additions: the document and chunk of the sentence on which a cited graph element is based. */
const sentenceMembers = {
  document_id: id.exactOptional(),
  document_type: z.string().exactOptional(),
  chunk_id: id.exactOptional(),
};

/** The record of the source (docs/contract.md 4.6) and its quotes. */
const payload = z
  .union([
    z.object({ ...hitMembers, ...backing, chunk_start: z.int(), chunk_end: z.int() }),
    z.object({ ...documentRecord.shape, ...backing }),
    z.object({ ...graphHitMembers, ...sentenceMembers, ...backing }),
    z.object({ ...webMembers, ...backing }),
  ])
  .meta({ id: 'CitationPayload', description: 'A chunk, a document, a graph element or a web page.' });

const citationMembers = {
  id: z.string().describe('cit.N belongs to the marker [N].'),
  object: z.literal('citation'),
};

export const finalMembers = {
  ...citationMembers,
  spans: z.array(span),
  source_type: z.enum(['chunk', 'graph', 'doc', 'web']),
  payload,
};

export const firstMention = { is_new: z.literal(true), span: z.null() };

export const citation = z.object({ ...finalMembers, ...firstMention }).meta({ id: 'Citation' });

export const finalCitation = z.object(finalMembers).meta({ id: 'FinalCitation' });

export const mention = {
  ...citationMembers,
  is_new: z.boolean(),
  span,
  payload: payload.nullable().describe('Only with the first mention of a source.'),
};

/** One entry per source with all its spans in the answer; docs/contract.md 4.6. */
export function toCitation(citation: Citation, context: HitContext) {
  return {
    id: citation.id,
    object: 'citation',
    is_new: true,
    span: null,
    spans: citation.spans.map(toSpan),
    source_type: sourceType(citation.source),
    payload: toCitationPayload(citation, context),
  };
}

/** The entry in the stream's `final_answer` (docs/contract.md 5.5). */
export function toFinalCitation(citation: Citation, context: HitContext) {
  return {
    id: citation.id,
    object: 'citation',
    spans: citation.spans.map(toSpan),
    source_type: sourceType(citation.source),
    payload: toCitationPayload(citation, context),
  };
}

/**
 * The record of the source with additions: `quotes`, `url` (the page with the quotes marked), and the location of the
 * first quote in the document's text as `start`, `end`, `page` and `heading_path`. The location of the source itself is
 * in `chunk_start` and `chunk_end`.
 */
function toCitationPayload({ source, quotes }: Citation, context: HitContext) {
  const [first] = quotes;
  const locationFields =
    first === undefined
      ? {}
      : { start: first.start, end: first.end, page: first.page, heading_path: first.headingPath };
  return {
    ...toSourceRecord(source, context),
    ...locationFields,
    ...toUrl(source, quotes, context),
    quotes: quotes.map((quote) => ({ ...toQuote(quote), ...toUrl(source, [quote], context) })),
  };
}

/** URL of the source with these quotes marked; absent if it has none. */
function toUrl(source: Source, quotes: readonly Quote[], { origin }: HitContext): { readonly url?: string } {
  const address = addressOfSource(source, quotes);
  return address === undefined ? {} : { url: origin + address };
}

/** A mention of a source in a stream (docs/contract.md 5.5); only the first has the payload. */
export function toMention(
  { citation, isNew, span }: { readonly citation: Citation; readonly isNew: boolean; readonly span: Span },
  context: HitContext,
) {
  return {
    id: citation.id,
    object: 'citation',
    is_new: isNew,
    span: toSpan(span),
    payload: isNew ? toCitationPayload(citation, context) : null,
  };
}

function toSourceRecord(source: Source, context: HitContext) {
  switch (source.kind) {
    case 'chunk':
      return { ...toChunkHit(source.chunk, context), chunk_start: source.chunk.start, chunk_end: source.chunk.end };
    case 'document':
      return toDocumentRecord(source.document);
    case 'graph':
      return {
        ...toGraphHit(source.hit, context),
        ...toSentencePlace(source.hit),
        ...typeMember(documentTypeOfSource(source)),
      };
    case 'web':
      return toWebRecord(source.page);
  }
}

const typeMember = (type: string | undefined) => (type === undefined ? {} : { document_type: type });

function sourceType(source: Source): 'chunk' | 'doc' | 'graph' | 'web' {
  switch (source.kind) {
    case 'chunk':
      return 'chunk';
    case 'document':
      return 'doc';
    case 'graph':
      return 'graph';
    case 'web':
      return 'web';
  }
}

const toQuote = ({ start, end, text, page, headingPath }: Quote) => ({
  start,
  end,
  text,
  page,
  heading_path: headingPath,
});

export const toSpan = ({ start, end }: Span) => ({ start, end });
