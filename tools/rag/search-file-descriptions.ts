import { z } from 'zod';
import type { Document } from '../../src/documents/document.ts';
import { allOf } from '../../src/documents/filter.ts';
import { shortLine } from '../../src/shared/text.ts';
import { contextAsOf } from '../../src/toolbox/as-of.ts';
import { readCursor, writeCursor } from '../../src/toolbox/cursor.ts';
import { explainEmptyCorpus } from '../../src/toolbox/explain-empty-corpus.ts';
import { explainFilter } from '../../src/toolbox/explain-filter.ts';
import { asOf, collections, cursor, documentIds, filters, limit, maxCharacters } from '../../src/toolbox/fields.ts';
import { filterableFields } from '../../src/toolbox/filterable-fields.ts';
import { shortLink } from '../../src/toolbox/page-link.ts';
import { type Block, joinBlocks, RESERVED_FOR_LINES, renderFitting } from '../../src/toolbox/render-blocks.ts';
import { scopeFilter } from '../../src/toolbox/scope-filter.ts';
import { shortDocumentId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';

type FoundDocument = Document & { readonly score?: number };

export const searchFileDescriptions = defineTool({
  name: 'search_file_descriptions',
  title: 'Find documents',
  description:
    'Find documents whose title or summary matches a query, or list the newest documents if no query is given. Returns identifier, title, summary, type, size and dates of each; it does not search the text. Use it to see which documents exist, or which one to read.',
  input: z.object({
    query: z
      .string()
      .trim()
      .max(2000)
      .optional()
      .describe('What the document is about (default: the newest documents are listed)'),
    document_ids: documentIds,
    collections,
    filters,
    limit: limit(20, 50),
    as_of: asOf,
    cursor,
    max_chars: maxCharacters(8000),
  }),
  output: z.object({
    query: z.string().optional(),
    documents: z.array(
      z.object({
        document_id: z.string(),
        marker: z.string(),
        title: z.string(),
        summary: z.string().optional(),
        document_type: z.string(),
        chunk_count: z.number().int(),
        char_count: z.number().int(),
        created_at: z.string(),
        updated_at: z.string(),
        source: z.string().optional(),
        score: z.number().optional(),
        trust: z.literal('corpus'),
      }),
    ),
    total: z.number().int(),
    filterable_fields: z.array(z.string()).optional(),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute(input, context) {
    const { library, visible, cite, maxCharacters, pageOrigin } = contextAsOf(context, input.as_of);
    const where = [input.document_ids ?? null, input.collections ?? null, input.filters ?? null];
    const scope = [input.query ?? null, ...where, input.as_of ?? null] as const;
    const offset = readCursor(input.cursor, ...scope);
    const filter = allOf(visible, await scopeFilter(input, 'id', context));
    const found: { items: readonly FoundDocument[]; total: number } =
      input.query === undefined || input.query === ''
        ? await library.list(filter, { offset, limit: input.limit })
        : await library.searchDocuments({ text: input.query, filter, limit: input.limit, offset });
    const shown = renderFitting(found.items, {
      maxCharacters: Math.min(input.max_chars, maxCharacters) - RESERVED_FOR_LINES,
      block: describe,
      cite: (document) => cite({ kind: 'document', document }),
    });
    const end = offset + shown.length;
    const next = shown.length > 0 && end < found.total ? writeCursor(end, ...scope) : undefined;
    const last =
      next === undefined
        ? `End of results (${end} of ${found.total}).`
        : `More (${end} of ${found.total} shown): call search_file_descriptions again with the same arguments and cursor="${next}".`;
    // Listed on the first page only, where a model decides whether to filter.
    const fields = offset > 0 ? [] : filterableFields(found.items).map(({ name }) => name);
    const fieldLine = fields.length === 0 ? [] : [`Fields for filters: ${fields.join(', ')}.`];
    const links =
      pageOrigin === undefined
        ? []
        : shown.slice(0, 1).map(({ item }) => `Link by identifier: ${shortLink(pageOrigin, shortDocumentId(item.id))}`);
    return {
      text: `${shown.length === 0 ? ((await explainEmptyCorpus(context)) ?? (await explainFilter(input.filters ?? {}, context)) ?? nothingFound(offset, input.query)) : joinBlocks(shown)}\n\n${[...fieldLine, ...links, last].join('\n')}`,
      structured: {
        ...(input.query === undefined ? {} : { query: input.query }),
        documents: shown.map(({ item: document, number, text }) => ({
          document_id: document.id,
          marker: `[${number}]`,
          title: document.title,
          ...(text === '' ? {} : { summary: text }),
          document_type: document.type,
          chunk_count: document.chunkCount,
          char_count: document.textLength,
          created_at: document.createdAt,
          updated_at: document.updatedAt,
          ...(document.source === null ? {} : { source: document.source }),
          ...(document.score === undefined ? {} : { score: document.score }),
          trust: 'corpus' as const,
        })),
        total: found.total,
        ...(fields.length === 0 ? {} : { filterable_fields: fields }),
        ...(next === undefined ? {} : { next_cursor: next }),
      },
      sources: shown.map(({ item: document }) => ({ kind: 'document' as const, document })),
    };
  },
});

function describe(document: FoundDocument): Block {
  const facts = [document.type, `${document.chunkCount} chunks`, `${document.textLength} characters`];
  if (document.score !== undefined) facts.push(`score ${document.score.toFixed(3)}`);
  return {
    label: `${shortLine(document.title)} · ${facts.join(' · ')} · document_id ${shortDocumentId(document.id)}`,
    text: document.summary ?? '',
    rest: () => `(summary cut; the text: get_file_content with document_id="${document.id}")`,
  };
}

function nothingFound(offset: number, query: string | undefined): string {
  if (offset > 0) return 'There are no more documents.';
  return query === undefined || query === ''
    ? 'There are no documents.'
    : 'No document matches. Omit the query to list all documents.';
}
