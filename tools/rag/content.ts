import { z } from 'zod';
import { type Chunk, documentTypeOf } from '../../src/documents/chunk.ts';
import type { Document } from '../../src/documents/document.ts';
import { pageLabel } from '../../src/documents/page-label.ts';
import { ServiceError } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import { contextAsOf } from '../../src/toolbox/as-of.ts';
import { readCursor, writeCursor } from '../../src/toolbox/cursor.ts';
import { asOf, chunkId, cursor, documentId, maxCharacters } from '../../src/toolbox/fields.ts';
import { findChunk } from '../../src/toolbox/find-chunk.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { linkSuffix } from '../../src/toolbox/page-link.ts';
import {
  type Block,
  chunkBlock,
  joinBlocks,
  RESERVED_FOR_LINES,
  renderFitting,
} from '../../src/toolbox/render-blocks.ts';
import { shortChunkId, shortDocumentId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

/** Maximum number of chunks per call; usually the character limit is reached first. */
const CHUNKS_PER_CALL = 200;

export const content = defineTool({
  name: 'content',
  title: 'Read document structure',
  description:
    'Show a document as its numbered chunks in order, with page, heading and character positions, or one chunk with its neighbours. Give document_id for the document from its beginning, or around_chunk_id (from a search result) to read the text before and after a passage. For continuous text without chunk borders use get_file_content.',
  input: z.object({
    document_id: documentId.optional(),
    around_chunk_id: chunkId.optional().describe('A chunk to read around: its identifier or the [n] of a result'),
    before: z.number().int().min(0).max(10).default(2).describe('Chunks before it (0 to 10, default 2)'),
    after: z.number().int().min(0).max(10).default(2).describe('Chunks after it (0 to 10, default 2)'),
    include_text: z
      .boolean()
      .default(true)
      .describe('false returns only the outline: order, page, headings, positions'),
    as_of: asOf,
    cursor,
    max_chars: maxCharacters(8000),
  }),
  output: z.object({
    document_id: z.string(),
    title: z.string(),
    document_type: z.string(),
    chunk_count: z.number().int(),
    chunks: z.array(
      z.object({
        marker: z.string(),
        chunk_id: z.string(),
        index: z.number().int(),
        page: z.number().int().optional(),
        heading_path: z.array(z.string()),
        start_char: z.number().int(),
        end_char: z.number().int(),
        text: z.string().optional(),
        missing_chars: z.number().int().optional(),
      }),
    ),
    trust: z.literal('corpus'),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute(input, given) {
    const context = contextAsOf(given, input.as_of);
    const { document, center } = await selected(input, context);
    const extent = [input.before, input.after, input.include_text, input.as_of ?? null] as const;
    const scope = [document.id, center?.id ?? null, ...extent] as const;
    const first = center === undefined ? 0 : Math.max(0, center.order - input.before);
    const last = Math.min(document.chunkCount, center === undefined ? Infinity : center.order + input.after + 1);
    const offset = first + readCursor(input.cursor, ...scope);
    const { items } = await context.library.chunksOf(document.id, {
      offset,
      limit: Math.max(1, Math.min(CHUNKS_PER_CALL, last - offset)),
    });
    const shown = renderFitting(offset < last ? items : [], {
      maxCharacters: Math.min(input.max_chars, context.maxCharacters) - RESERVED_FOR_LINES,
      block: input.include_text ? (chunk) => chunkBlock(chunk) : outline,
      cite: (chunk) => context.cite({ kind: 'chunk', chunk: { ...chunk, score: 0 } }),
    });
    const end = offset + shown.length;
    const next = shown.length > 0 && end < last ? writeCursor(end - first, ...scope) : undefined;
    const heading = `${shortLine(document.title)} · ${document.type} · ${document.chunkCount} chunks · document_id ${shortDocumentId(document.id)}${linkSuffix(context.pageOrigin, shortDocumentId(document.id))}`;
    return {
      text: `${heading}\n\n${shown.length === 0 ? 'There are no chunks in this range.' : joinBlocks(shown)}\n\n${
        next === undefined
          ? `End of the selection (${shown.length === 0 ? 'no chunks' : `chunks ${offset} to ${end - 1}`}).`
          : `More: call content again with the same arguments and cursor="${next}".`
      }`,
      structured: {
        document_id: document.id,
        title: document.title,
        document_type: document.type,
        chunk_count: document.chunkCount,
        chunks: shown.map(({ item: chunk, number, text, missing }) => ({
          marker: `[${number}]`,
          chunk_id: chunk.id,
          index: chunk.order,
          ...(chunk.page === null ? {} : { page: chunk.page }),
          heading_path: [...chunk.headingPath],
          start_char: chunk.start,
          end_char: chunk.end,
          ...(input.include_text ? { text } : {}),
          ...(missing === 0 ? {} : { missing_chars: missing }),
        })),
        trust: 'corpus' as const,
        ...(next === undefined ? {} : { next_cursor: next }),
      },
      sources: shown.map(({ item: chunk }) => ({ kind: 'chunk' as const, chunk: { ...chunk, score: 0 } })),
    };
  },
});

interface Selection {
  readonly document_id?: string | undefined;
  readonly around_chunk_id?: string | undefined;
}

async function selected(
  { document_id, around_chunk_id }: Selection,
  context: ToolContext,
): Promise<{ readonly document: Document; readonly center?: Chunk }> {
  if (around_chunk_id !== undefined) {
    const { chunk: center, document } = await findChunk(around_chunk_id, context);
    return { document, center };
  }
  if (document_id !== undefined) return { document: await findDocument(document_id, context) };
  throw new ServiceError(
    'invalid_request',
    'Neither document_id nor around_chunk_id is given. Give one; search_file_descriptions lists documents.',
  );
}

function outline(chunk: Chunk): Block {
  const page = chunk.page === null ? '' : ` · ${pageLabel(documentTypeOf(chunk), chunk.page)}`;
  const headings = chunk.headingPath.length === 0 ? '' : ` · ${shortLine(chunk.headingPath.join(' > '))}`;
  return {
    label: `chunk ${chunk.order}${page}${headings} · characters ${chunk.start}-${chunk.end} · ${shortChunkId(chunk)}`,
    text: '',
    rest: () => '',
  };
}
