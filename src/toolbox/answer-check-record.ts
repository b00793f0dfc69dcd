import { z } from 'zod';
import type { AnswerCheck, AnswerCheckRequest, Evidence } from '../citations/answer-check.ts';
import { documentTypeOfSource } from '../citations/document-type.ts';
import { addressOfSource, sourceAddress } from '../citations/source-address.ts';
import { supports, verdicts } from '../citations/verdict.ts';
import { timestamp } from '../documents/timestamp.ts';

// Wire format of an answer check, shared by HTTP, MCP and the command line.

const id = z.string().trim().min(1).max(64);

const source = z.preprocess(
  fromText,
  z.object({
    marker: z
      .number()
      .int()
      .min(1)
      .max(999_999)
      .optional()
      .describe('The n of the marker [n] (default: the position in this list)'),
    chunk_id: id.optional().describe('A passage, as named by search results'),
    document_id: id.optional().describe('A whole document; each statement is compared with its closest passages'),
    id: id.optional().describe('Identifier of a passage or a document'),
    text: z.string().optional().describe('The text of the source, if it has no identifier'),
  }),
);

/** Accepts a bare identifier or text in place of the record. */
function fromText(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  return /^[0-9a-f-]{4,64}(?::\d+)?$|^(?:\[|cit\.)?\d{1,6}\]?$/i.test(given.trim()) ? { id: given } : { text: given };
}

/** Request members, shared by tool inputs and request bodies. */
export const answerCheckMembers = {
  answer: z.string().describe('The complete answer, with its [n] markers or quotations (up to 40000 characters)'),
  sources: z
    .array(source)
    .optional()
    .describe(
      'What the markers stand for, e.g. [{"marker": 1, "chunk_id": "…"}] (default: all documents are searched)',
    ),
  document_ids: z
    .array(id)
    .optional()
    .describe(
      'Documents that may support any statement, whatever its markers (default, if sources is not given either: all documents)',
    ),
  search: z
    .boolean()
    .optional()
    .describe('Whether to search all other documents for statements that the sources do not support (default true)'),
  as_of: timestamp
    .optional()
    .describe('Check against the documents as they were at this time, e.g. "2026-03-01" (default: now)'),
} as const;

const members = z.object(answerCheckMembers);

export function toAnswerCheckRequest(given: z.output<typeof members>): AnswerCheckRequest {
  return {
    answer: given.answer,
    sources: (given.sources ?? []).map(
      ({ marker, chunk_id: chunkId, document_id: documentId, id: sourceId, text }) => ({
        marker,
        chunkId,
        documentId,
        id: sourceId,
        text,
      }),
    ),
    documentIds: given.document_ids ?? [],
    searchesElsewhere: given.search ?? true,
    asOf: given.as_of,
  };
}

const offset = z.int();
const span = { start: offset, end: offset, text: z.string() };
const verdict = z.enum(verdicts);

const evidence = z.object({
  quote: z.string(),
  marker: z.int().optional(),
  document_id: z.string().optional(),
  document_type: z.string().optional(),
  chunk_id: z.string().optional(),
  title: z.string(),
  page: z.int().optional(),
  heading_path: z.array(z.string()),
  start: offset.describe('UTF-16 offsets into the text of the document, end exclusive'),
  end: offset,
  link: z.string().optional().describe('The page of the document with the quote marked'),
});

/** Wire format of the result. */
export const answerCheckRecord = z.object({
  supported: z.int().describe('Number of statements that a source says, in the same or similar words'),
  total: z.int(),
  statements: z.array(
    z.object({
      ...span,
      verdict: verdict.describe(
        'verbatim: a source says it word for word; close: in other words; elsewhere: not in the cited source but in another; not_found: in none',
      ),
      score: z.number(),
      citations: z.array(z.object({ marker: z.int(), verdict: z.enum([...verdict.options, 'unknown']) })),
      contradicted: z
        .boolean()
        .describe('Whether the quoted passage is about the same, but denies the statement or gives other numbers'),
      missing_words: z.array(z.string()).describe('Words of the statement that are missing from the quoted passage'),
      evidence: evidence.optional().describe('The supporting passage; for not_found the closest one'),
    }),
  ),
  unsupported: z.array(z.object(span)).describe('The statements that their cited sources do not support'),
  unchecked_from: offset.optional(),
  notes: z.array(z.string()),
});

export type AnswerCheckRecord = z.output<typeof answerCheckRecord>;

/** Converts the result. `origin`, the origin of the web page if known, is prepended to links. */
export function toAnswerCheckRecord({ statements, uncheckedFrom, notes }: AnswerCheck, origin = ''): AnswerCheckRecord {
  const unsupported = statements.filter((statement) => !supports(statement.verdict));
  return {
    supported: statements.length - unsupported.length,
    total: statements.length,
    statements: statements.map((statement) => ({
      start: statement.start,
      end: statement.end,
      text: statement.text,
      verdict: statement.verdict,
      score: Math.round(statement.score * 1000) / 1000,
      citations: [...statement.citations],
      contradicted: statement.isContradicted,
      missing_words: [...statement.missing],
      ...(statement.evidence && { evidence: toEvidence(statement.evidence, origin) }),
    })),
    unsupported: unsupported.map(({ start, end, text }) => ({ start, end, text })),
    ...(uncheckedFrom === undefined ? {} : { unchecked_from: uncheckedFrom }),
    notes: [...notes],
  };
}

function toEvidence(
  { quote, marker, documentId, chunkId, title, source }: Evidence,
  origin: string,
): z.output<typeof evidence> {
  const cited = source && addressOfSource(source, [quote]);
  const documentType = source && documentTypeOfSource(source);
  return {
    quote: quote.text,
    ...(marker === undefined ? {} : { marker }),
    ...(documentId === undefined ? {} : { document_id: documentId }),
    ...(documentType === undefined ? {} : { document_type: documentType }),
    ...(chunkId === undefined ? {} : { chunk_id: chunkId }),
    title,
    ...(quote.page === null ? {} : { page: quote.page }),
    heading_path: [...quote.headingPath],
    start: quote.start,
    end: quote.end,
    ...(documentId === undefined ? {} : { link: origin + (cited ?? sourceAddress(documentId, { quotes: [quote] })) }),
  };
}
