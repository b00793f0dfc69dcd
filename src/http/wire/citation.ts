import type { Citation, Quote, Source, Span } from '../../citations/citation.ts';
import { type HitContext, toChunkHit } from './chunk-record.ts';
import { toDocumentRecord } from './document-record.ts';
import { toGraphHit } from './graph-hit.ts';
import { toWebRecord } from './web-record.ts';

/** One entry per source with all its places in the answer; spec.md 2.6, r2r-v3.md 4.6. */
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

/** The entry as the stream's final answer lists it (r2r-v3.md 5.5). */
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
 * The record of the source, and ours beside it: `quotes`, the passages that back the answer, and as `start`, `end`,
 * `page` and `heading_path` the place of the first of them in the document's extracted text. Where the source itself
 * stands is then in `chunk_start` and `chunk_end`.
 */
function toCitationPayload({ source, quotes }: Citation, context: HitContext) {
  const [first] = quotes;
  const place =
    first === undefined
      ? {}
      : { start: first.start, end: first.end, page: first.page, heading_path: first.headingPath };
  return { ...toSourceRecord(source, context), ...place, quotes: quotes.map(toQuote) };
}

/** A mention of a source in a stream (r2r-v3.md 5.5); the payload comes with the first. */
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
      return toGraphHit(source.hit, context);
    case 'web':
      return toWebRecord(source.page);
  }
}

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
