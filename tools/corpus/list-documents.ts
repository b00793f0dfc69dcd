import { allOf } from '../../src/documents/filter.ts';
import { readFilter } from '../../src/documents/read-filter.ts';
import { readCursor, writeCursor } from '../../src/toolbox/cursor.ts';
import { explainEmptyCorpus } from '../../src/toolbox/explain-empty-corpus.ts';
import { explainFilter } from '../../src/toolbox/explain-filter.ts';
import { RESERVED_FOR_LINES } from '../../src/toolbox/render-blocks.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { describeDocument, toDocumentRecord } from './describe-record.ts';

interface ListRequest {
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

const MAX_LENGTH = 8_000;

/** Lists documents, newest first, one line each with the ingestion status and any failure reason. */
export async function listDocuments(input: ListRequest, context: ToolContext) {
  const { library, visible, maxCharacters } = context;
  const scope = ['list', input.filters ?? null] as const;
  const offset = readCursor(input.cursor, ...scope);
  const filter = allOf(visible, readFilter(input.filters ?? {}));
  const { items, total } = await library.list(filter, { offset, limit: input.limit });
  const lines: string[] = [];
  let available = Math.min(MAX_LENGTH, maxCharacters) - RESERVED_FOR_LINES;
  for (const [index, document] of items.entries()) {
    const line = `${offset + index + 1}. ${describeDocument(document, context.settings.audience)}`;
    if (line.length > available && lines.length > 0) break;
    lines.push(line);
    available -= line.length + 1;
  }
  const end = offset + lines.length;
  const next = lines.length > 0 && end < total ? writeCursor(end, ...scope) : undefined;
  const last =
    next === undefined
      ? `End of the list (${end} of ${total}).`
      : `More (${end} of ${total} shown): call corpus_status again with the same arguments and cursor="${next}".`;
  return {
    text: `${lines.length === 0 ? ((await explainEmptyCorpus(context)) ?? (await explainFilter(input.filters ?? {}, context)) ?? 'There are no documents.') : lines.join('\n')}\n\n${last}`,
    structured: {
      list: items.slice(0, lines.length).map((document) => toDocumentRecord(document, context.settings.audience)),
      total,
      ...(next === undefined ? {} : { next_cursor: next }),
    },
  };
}
