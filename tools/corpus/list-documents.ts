import { z } from 'zod';
import { allOf } from '../../src/documents/filter.ts';
import { readFilter } from '../../src/documents/read-filter.ts';
import { readCursor, writeCursor } from '../../src/toolbox/cursor.ts';
import { cursor, filters, limit, maxCharacters } from '../../src/toolbox/fields.ts';
import { LINES_ROOM } from '../../src/toolbox/render-passages.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { describeDocument, documentRecord, toDocumentRecord } from './describe-record.ts';

export const listDocuments = defineTool({
  name: 'list_documents',
  title: 'List documents',
  description:
    'List the documents, newest first, one line each: title, type, state of ingestion, size, source and identifier. Also shows documents that are still being read or that failed, with the reason. To find documents by what they are about use search_file_descriptions.',
  input: z.object({ filters, limit: limit(30, 100), cursor, max_chars: maxCharacters(8000) }),
  output: z.object({
    documents: z.array(documentRecord),
    total: z.number().int(),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute(input, { library, visible, maxCharacters: most }) {
    const scope = ['list', input.filters ?? null] as const;
    const offset = readCursor(input.cursor, ...scope);
    const filter = allOf(visible, readFilter(input.filters ?? {}));
    const { items, total } = await library.list(filter, { offset, limit: input.limit });
    const lines: string[] = [];
    let room = Math.min(input.max_chars, most) - LINES_ROOM;
    for (const [index, document] of items.entries()) {
      const line = `${offset + index + 1}. ${describeDocument(document)}`;
      if (line.length > room && lines.length > 0) break;
      lines.push(line);
      room -= line.length + 1;
    }
    const end = offset + lines.length;
    const next = lines.length > 0 && end < total ? writeCursor(end, ...scope) : undefined;
    const last =
      next === undefined
        ? `End of the list (${end} of ${total}).`
        : `More (${end} of ${total} shown): call list_documents again with the same arguments and cursor="${next}".`;
    return {
      text: `${lines.length === 0 ? 'There are no documents here.' : lines.join('\n')}\n\n${last}`,
      structured: {
        documents: items.slice(0, lines.length).map(toDocumentRecord),
        total,
        ...(next === undefined ? {} : { next_cursor: next }),
      },
    };
  },
});
