import { z } from 'zod';
import { type AnswerCheckRequest, checkLimits } from '../../src/citations/answer-check.ts';
import type { Source } from '../../src/citations/citation.ts';
import { readStatements } from '../../src/citations/read-statements.ts';
import { pageLabel } from '../../src/documents/page-label.ts';
import { ServiceError } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import {
  type AnswerCheckRecord,
  answerCheckMembers,
  answerCheckRecord,
  toAnswerCheckRecord,
  toAnswerCheckRequest,
} from '../../src/toolbox/answer-check-record.ts';
import { RESERVED_FOR_LINES } from '../../src/toolbox/render-blocks.ts';
import { readId, shortChunkId, shortDocumentId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

export const checkCitations = defineTool({
  name: 'check_citations',
  title: 'Check citations',
  description:
    'Check a drafted answer against the documents before sending it. Give the draft with the [n] markers of earlier results; sources is needed only for markers that stand for something else. Without markers each statement is searched for in all documents. Returns for each statement whether a source supports it (verbatim, close, elsewhere, not_found), the exact quote with document, page, heading and character positions, and the words that the quote lacks. Correct or remove statements that are not_found; for elsewhere, cite the source that it names. It compares words and figures without a model, so it does not notice a changed meaning in the same words. To find passages use search_file_knowledge.',
  input: z.object(answerCheckMembers),
  output: answerCheckRecord,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needs: ['checker'],
  deadline: 40_000,

  async execute(input, { checkAnswer, cited, maxCharacters, pageOrigin, signal }) {
    if (checkAnswer === undefined)
      throw new ServiceError('not_configured', 'Checking citations is not available here.');
    const request = withCited(toAnswerCheckRequest(input), cited);
    const check = await checkAnswer(request, signal);
    const record = toAnswerCheckRecord(check, pageOrigin);
    const sources = check.statements.flatMap(({ evidence }) => evidence?.source ?? []);
    return {
      text: render(record, shortIds(sources), maxCharacters - RESERVED_FOR_LINES),
      structured: record,
      sources,
    };
  },
});

/**
 * Resolves markers of earlier results to the sources they stand for: those among the given sources, or, if the call
 * gives no sources or documents, those in the answer.
 */
function withCited(request: AnswerCheckRequest, cited: ToolContext['cited']): AnswerCheckRequest {
  if (cited === undefined) return request;
  const resolved = request.sources.map((source) => {
    const { id, chunkId = id, documentId } = source;
    const read = readId(chunkId ?? documentId ?? '');
    const place = read.kind === 'marker' ? cited(read.number) : undefined;
    if (place === undefined) return source;
    const marker = source.marker ?? (id === undefined || read.kind !== 'marker' ? undefined : read.number);
    return {
      ...(marker === undefined ? {} : { marker }),
      ...(documentId === undefined ? place : { documentId: place.documentId }),
    };
  });
  if (request.sources.length > 0 || request.documentIds.length > 0) return { ...request, sources: resolved };
  const markers = readStatements(request.answer).flatMap((statement) => statement.markers);
  const places = [...new Set(markers)]
    .slice(0, checkLimits.sources)
    .map((marker) => ({ marker, place: cited(marker) }));
  // Unknown markers get no source but remain in the answer, so the check reports them as unknown.
  return {
    ...request,
    sources: places.flatMap(({ marker, place }) => (place === undefined ? [] : [{ marker, ...place }])),
  };
}

const shortIds = (sources: readonly Source[]): ReadonlyMap<string, string> =>
  new Map(
    sources.flatMap((source) => (source.kind === 'chunk' ? [[source.chunk.id, shortChunkId(source.chunk)]] : [])),
  );

type Statement = AnswerCheckRecord['statements'][number];

const MAX_STATEMENT_LENGTH = 200;
const MAX_QUOTE_LENGTH = 400;

/** Renders unsupported statements first, then supported ones, in at most `max` characters. */
function render(
  { supported, total, statements, notes }: AnswerCheckRecord,
  ids: ReadonlyMap<string, string>,
  max: number,
): string {
  const isRight = ({ verdict }: Statement) => verdict === 'verbatim' || verdict === 'close';
  const lines = [total === 0 ? 'Nothing to check.' : `${supported} of ${total} statements are supported.`, ...notes];
  let available = max - lines.join('\n').length;
  const blocks = [...statements.filter((each) => !isRight(each)), ...statements.filter(isRight)].map((each) =>
    block(each, ids),
  );
  let shown = 0;
  for (const each of blocks) {
    if (each.length + 2 > available) break;
    available -= each.length + 2;
    shown++;
  }
  const rest =
    blocks.length > shown ? [`(${blocks.length - shown} more statements are only in the structured result.)`] : [];
  return [lines.join('\n'), ...blocks.slice(0, shown), ...rest].join('\n\n');
}

const VERDICT_TEXTS: Readonly<Record<Statement['verdict'], string>> = {
  verbatim: 'word for word',
  close: 'in other words',
  elsewhere: 'not in the cited source, but in this one',
  not_found: 'in no source',
};

function block(
  { text, verdict, citations, evidence, contradicted, missing_words: missing }: Statement,
  ids: ReadonlyMap<string, string>,
): string {
  const weak = citations.filter((each) => each.verdict !== verdict);
  const marks = citations.map(({ marker }) => `[${marker}]`).join('');
  const lacks = missing.length === 0 ? '' : ` · lacks: ${missing.join(', ')}`;
  const reason = contradicted ? 'the passage says otherwise' : VERDICT_TEXTS[verdict];
  const lines = [`${verdict} (${reason}): ${shortLine(text, MAX_STATEMENT_LENGTH)}${marks === '' ? '' : ` ${marks}`}`];
  if (evidence !== undefined) {
    lines.push(
      `${verdict === 'not_found' ? 'closest' : 'quote'}: “${shortLine(evidence.quote, MAX_QUOTE_LENGTH)}”${lacks}`,
    );
    lines.push(placeOf(evidence, ids));
  }
  if (citations.length > 1 && weak.length > 0)
    lines.push(`individually: ${weak.map((each) => `[${each.marker}] ${each.verdict}`).join(', ')}`);
  return lines.join('\n');
}

function placeOf(evidence: NonNullable<Statement['evidence']>, ids: ReadonlyMap<string, string>): string {
  const {
    marker,
    title,
    page,
    heading_path: path,
    document_id: document,
    document_type: documentType,
    chunk_id: chunk,
    start,
    end,
    link,
  } = evidence;
  return [
    ...(marker === undefined ? [] : [`source [${marker}]`]),
    ...(title === '' ? [] : [shortLine(title)]),
    ...(page === undefined ? [] : [pageLabel(documentType, page)]),
    ...(path.length === 0 ? [] : [shortLine(path.join(' > '))]),
    `characters ${start}-${end}`,
    document === undefined ? 'not a stored document' : (ids.get(chunk ?? '') ?? shortDocumentId(document)),
    ...(link?.startsWith('http') ? [link] : []),
  ].join(' · ');
}
