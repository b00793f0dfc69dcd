import type { MarkerSpan } from '../../../../client/stream-events.ts';
import { type AnswerState, isVerdict, type Mark, numberOf, type Source } from './answer-state.ts';

/** The used fields of a response of POST /v3/retrieval/check. */
export interface AnswerCheck {
  readonly statements: readonly (MarkerSpan & {
    readonly text: string;
    readonly verdict: string;
    readonly citations: readonly { readonly marker: number; readonly verdict: string }[];
    readonly evidence?: {
      readonly quote: string;
      readonly marker?: number;
      readonly document_id?: string;
      readonly document_type?: string;
      readonly title: string;
      readonly page?: number;
      readonly heading_path: readonly string[];
      readonly start: number;
      readonly end: number;
    };
  })[];
  readonly unsupported: readonly MarkerSpan[];
  /** Offset at which the check stopped at a limit; absent when the whole text was checked. */
  readonly unchecked_from?: number;
}

/** Maximum length of a text that the service checks. */
const MAX_CHECKED = 40_000;

/**
 * Request body for checking an answer whose citations have no verdict; undefined if there is nothing to check.
 * With `documents`, only these are used and all their passages, because passages of the answer no longer exist.
 */
export function checkRequest(
  { text, sources, isChecked, isExtractive }: AnswerState,
  asOf: string,
  documents?: ReadonlySet<string>,
) {
  const known = sources.flatMap((source) => {
    const location = locationOf(source, documents);
    return location === undefined ? [] : [{ marker: Number(numberOf(source.id)), ...location }];
  });
  if (isChecked || known.length === 0) return undefined;
  // Quotations are verbatim by construction; the check only locates each quote.
  return { answer: checkedPart(text), sources: known, search: !isExtractive, ...(asOf !== '' && { as_of: asOf }) };
}

/** The paragraphs of a longer text that can be checked. */
function checkedPart(text: string): string {
  if (text.length <= MAX_CHECKED) return text;
  const end = text.lastIndexOf('\n\n', MAX_CHECKED);
  return text.slice(0, end > 0 ? end : MAX_CHECKED);
}

function locationOf({ chunkId, documentId }: Source, documents: ReadonlySet<string> | undefined) {
  if (documents !== undefined) {
    return documentId !== undefined && documents.has(documentId) ? { document_id: documentId } : undefined;
  }
  if (chunkId !== undefined) return { chunk_id: chunkId };
  return documentId === undefined ? undefined : { document_id: documentId };
}

/** The answer with the result of the check. */
export function applyCheck(state: AnswerState, check: AnswerCheck): AnswerState {
  const uncheckedFrom = check.unchecked_from ?? checkedPart(state.text).length;
  const marks = state.marks.map((mark): Mark => {
    if (mark.start >= uncheckedFrom) return mark;
    const statement = check.statements.findLast(({ start }) => start <= mark.start);
    const number = Number(numberOf(mark.sourceId));
    const own = statement?.citations.find(({ marker }) => marker === number)?.verdict;
    if (statement === undefined || !isVerdict(own)) return mark;
    const verdict = own === 'not_found' && statement.verdict === 'elsewhere' ? 'elsewhere' : own;
    const { evidence } = statement;
    const isShown = evidence !== undefined && (evidence.marker === number || verdict === 'elsewhere');
    return {
      ...mark,
      verdict,
      statement: statement.text,
      ...(isShown && {
        quote: {
          text: evidence.quote,
          start: evidence.start,
          end: evidence.end,
          documentType: evidence.document_type,
          page: evidence.page ?? null,
          headings: evidence.heading_path,
          title: evidence.title,
          ...(evidence.document_id !== undefined && { documentId: evidence.document_id }),
        },
      }),
    };
  });
  const sources = state.sources.map((source): Source => {
    const found = check.statements.find(({ evidence }) => evidence?.marker === Number(numberOf(source.id)));
    return found?.evidence === undefined ? source : { ...source, title: found.evidence.title };
  });
  // Nothing is known about statements that cite a web page or a document that is gone.
  const unknown = check.statements.filter(({ citations }) => citations.some(({ verdict }) => verdict === 'unknown'));
  const unsupported = check.unsupported.filter(({ start }) => unknown.every((statement) => statement.start !== start));
  const isPartlyChecked = state.marks.some(({ start }) => start >= uncheckedFrom);
  return {
    ...state,
    marks,
    sources,
    unsupported: state.isExtractive ? [] : unsupported,
    isChecked: true,
    ...(isPartlyChecked && { isPartlyChecked }),
  };
}
