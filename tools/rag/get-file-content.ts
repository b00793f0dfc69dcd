import { z } from 'zod';
import type { PageSpan } from '../../src/documents/document.ts';
import { pageLabel, pageNoun } from '../../src/documents/page-label.ts';
import { tableColumnsAt } from '../../src/documents/table-columns.ts';
import { ServiceError } from '../../src/errors.ts';
import { shortLine, wholeCharacterEnd, wholeWordEnd } from '../../src/shared/text.ts';
import { contextAsOf } from '../../src/toolbox/as-of.ts';
import { asOf, documentId, maxCharacters } from '../../src/toolbox/fields.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { linkSuffix } from '../../src/toolbox/page-link.ts';
import { RESERVED_FOR_LINES } from '../../src/toolbox/render-blocks.ts';
import { shortDocumentId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';

export const getFileContent = defineTool({
  name: 'get_file_content',
  title: 'Read document text',
  description:
    'Read the continuous text of one document, from a character offset or by pages or slides. Returns the text, where it ends, and the offset to continue from. Use it when a whole passage, page or short document is wanted; to find where something is mentioned, search first.',
  input: z.object({
    document_id: documentId,
    offset: z.number().int().min(0).optional().describe('Character offset to start at (default 0)'),
    page_from: z.number().int().min(1).optional().describe('First page or slide, for documents with pages or slides'),
    page_to: z.number().int().min(1).optional().describe('Last page (default: only the first page)'),
    as_of: asOf,
    max_chars: maxCharacters(12_000),
  }),
  output: z.object({
    document_id: z.string(),
    title: z.string(),
    marker: z.string(),
    mime_type: z.string(),
    text: z.string(),
    offset: z.number().int(),
    end_offset: z.number().int(),
    total_chars: z.number().int(),
    next_offset: z.number().int().optional(),
    pages: z.string().optional(),
    place: z.string().describe('Where in the document the text is, in words'),
    table_columns: z
      .array(z.string())
      .optional()
      .describe('Column names of the table in which the text begins, if its header is further up'),
    trust: z.literal('corpus'),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute(input, given) {
    const context = contextAsOf(given, input.as_of);
    const document = await findDocument(input.document_id, context);
    const extracted = await context.library.textOf(document.id);
    if (extracted === undefined || extracted.text === '') {
      const reason = document.failure === null ? '' : ` (${shortLine(document.failure)})`;
      throw new ServiceError(
        'not_found',
        `"${shortLine(document.title)}" has no text: its ingestion is ${document.ingestionStatus}${reason}.`,
      );
    }
    const { text, pages, headings } = extracted;
    const range = pageRange(pages, input.page_from, input.page_to, pageNoun(document.type));
    const start = wholeCharacterEnd(text, Math.max(range?.start ?? 0, input.offset ?? 0));
    const stop = range?.end ?? text.length;
    if (start >= stop) {
      const from = range?.start ?? 0;
      throw new ServiceError(
        'invalid_request',
        `The offset ${Math.max(from, input.offset ?? 0)} is past the end: ${range === undefined ? 'the text' : `the ${pageNoun(document.type)}`} goes from ${from} to ${stop}.`,
      );
    }
    const max = Math.min(input.max_chars, context.maxCharacters) - RESERVED_FOR_LINES;
    const end = start + max >= stop ? stop : wholeWordEnd(text, start, start + max);
    const passage = { start, text: text.slice(start, end), pages, ...(headings && { headings }) };
    const number = context.cite({ kind: 'document', document, passage });
    const shownPages = pages.filter((page) => page.end > start && page.start < end).map((page) => page.number);
    const [firstPage] = shownPages;
    const lastPage = shownPages.at(-1);
    const pageWords = firstPage === undefined ? undefined : pageLabel(document.type, firstPage, lastPage);
    const again =
      range === undefined
        ? ''
        : `, page_from=${range.firstPage}${input.page_to === undefined ? '' : `, page_to=${input.page_to}`}`;
    const then = input.as_of === undefined ? '' : `, as_of="${input.as_of}"`;
    const columns = tableColumnsAt(text, start);
    const table = columns === undefined ? '' : `\nBegins inside a table with the columns ${columns.join(' | ')}`;
    const characters = `characters ${start}-${end} of ${text.length}`;
    const place = pageWords === undefined ? characters : `${characters} · ${pageWords}`;
    return {
      text: `[${number}] ${shortLine(document.title)} · ${place} · document_id ${shortDocumentId(document.id)}${linkSuffix(context.pageOrigin, shortDocumentId(document.id))}${table}\n\n${passage.text}\n\n${
        end < stop
          ? `More: call get_file_content with document_id="${shortDocumentId(document.id)}", offset=${end}${again}${then}.`
          : 'End of the selection.'
      }`,
      structured: {
        document_id: document.id,
        title: document.title,
        marker: `[${number}]`,
        mime_type: document.mediaType,
        text: passage.text,
        offset: start,
        end_offset: end,
        total_chars: text.length,
        ...(end < stop ? { next_offset: end } : {}),
        ...(firstPage === undefined ? {} : { pages: `${firstPage}-${lastPage}` }),
        place: pageWords ?? characters,
        ...(columns === undefined ? {} : { table_columns: [...columns] }),
        trust: 'corpus' as const,
      },
      sources: [{ kind: 'document' as const, document, passage }],
    };
  },
});

interface Range {
  readonly start: number;
  readonly end: number;
  /** As requested; 1 by default. */
  readonly firstPage: number;
}

/** The text range of the requested pages; undefined if no pages are requested. */
function pageRange(
  pages: readonly PageSpan[],
  firstPage: number | undefined,
  lastPage: number | undefined,
  noun: ReturnType<typeof pageNoun>,
): Range | undefined {
  if (firstPage === undefined && lastPage === undefined) return undefined;
  const from = firstPage ?? 1;
  const to = lastPage ?? from;
  const wanted = pages.filter(({ number }) => number >= from && number <= to);
  const [first] = wanted;
  const end = wanted.at(-1);
  if (first === undefined || end === undefined) {
    const known =
      pages.length === 0 ? 'this document has no pages; use offset' : `it has ${noun}s 1 to ${pages.length}`;
    throw new ServiceError('invalid_request', `There are no ${noun}s ${from} to ${to}: ${known}.`);
  }
  return { start: first.start, end: end.end, firstPage: from };
}
