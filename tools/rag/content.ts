import { z } from 'zod';
import type { Chunk } from '../../src/documents/chunk.ts';
import type { Document } from '../../src/documents/document.ts';
import { ServiceError } from '../../src/errors.ts';
import { readCursor, writeCursor } from '../../src/toolbox/cursor.ts';
import { cursor, documentId, maxCharacters } from '../../src/toolbox/fields.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { fitBlocks, renderPassage } from '../../src/toolbox/render-passages.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

/** Chunks looked at in one call; the character limit ends most calls earlier. */
const CHUNKS_PER_CALL = 200;

export const content = defineTool({
  name: 'content',
  title: 'Read document structure',
  description:
    'Show a document as its numbered chunks in order, with page, heading and character positions, or one chunk with its neighbours. Give document_id for the document from its beginning, or around_chunk_id (from a search result) to read what stands before and after a passage. For continuous text without chunk borders use get_file_content.',
  input: z.object({
    document_id: documentId.optional(),
    around_chunk_id: z
      .string()
      .trim()
      .min(8)
      .max(64)
      .optional()
      .describe('A chunk to read around, from a search result'),
    before: z.number().int().min(0).max(10).default(2).describe('Chunks before it (0 to 10, default 2)'),
    after: z.number().int().min(0).max(10).default(2).describe('Chunks after it (0 to 10, default 2)'),
    include_text: z.boolean().default(true).describe('false gives the outline alone: order, page, headings, positions'),
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
      }),
    ),
    trust: z.literal('corpus'),
    next_cursor: z.string().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute(input, context) {
    const { document, center } = await selected(input, context);
    const scope = [document.id, center?.id ?? null, input.before, input.after, input.include_text] as const;
    const first = center === undefined ? 0 : Math.max(0, center.order - input.before);
    const last = center === undefined ? document.chunkCount : center.order + input.after + 1;
    const offset = first + readCursor(input.cursor, ...scope);
    const { items } = await context.library.chunksOf(document.id, {
      offset,
      limit: Math.max(1, Math.min(CHUNKS_PER_CALL, last - offset)),
    });
    const numbered = items
      .filter(() => offset < last)
      .map((chunk) => ({ chunk, number: context.cite({ kind: 'chunk', chunk: { ...chunk, score: 0 } }) }));
    const { text, kept } = fitBlocks(
      numbered.map(({ chunk, number }) => (input.include_text ? renderPassage(number, chunk) : outline(number, chunk))),
      Math.min(input.max_chars, context.maxCharacters),
    );
    const shown = numbered.slice(0, kept);
    const end = offset + kept;
    const next = kept > 0 && end < Math.min(last, document.chunkCount) ? writeCursor(end - first, ...scope) : undefined;
    const heading = `${document.title} · ${document.type} · ${document.chunkCount} chunks · document_id ${document.id}`;
    return {
      text: `${heading}\n\n${kept === 0 ? 'There are no chunks here.' : text}\n\n${
        next === undefined
          ? `End of the selection (chunks ${offset} to ${end - 1}).`
          : `More: call content again with the same arguments and cursor="${next}".`
      }`,
      structured: {
        document_id: document.id,
        title: document.title,
        document_type: document.type,
        chunk_count: document.chunkCount,
        chunks: shown.map(({ chunk, number }) => ({
          marker: `[${number}]`,
          chunk_id: chunk.id,
          index: chunk.order,
          ...(chunk.page === null ? {} : { page: chunk.page }),
          heading_path: [...chunk.headingPath],
          start_char: chunk.start,
          end_char: chunk.end,
          ...(input.include_text ? { text: chunk.text } : {}),
        })),
        trust: 'corpus' as const,
        ...(next === undefined ? {} : { next_cursor: next }),
      },
      sources: shown.map(({ chunk }) => ({ kind: 'chunk' as const, chunk: { ...chunk, score: 0 } })),
    };
  },
});

async function selected(
  input: { readonly document_id?: string | undefined; readonly around_chunk_id?: string | undefined },
  context: ToolContext,
): Promise<{ readonly document: Document; readonly center?: Chunk }> {
  if (input.around_chunk_id !== undefined) {
    const [center] = await context.library.chunksById([input.around_chunk_id]);
    if (center === undefined) throw noChunk(input.around_chunk_id);
    return { document: await findDocument(center.documentId, context), center };
  }
  if (input.document_id !== undefined) return { document: await findDocument(input.document_id, context) };
  throw new ServiceError('invalid_request', 'Neither document_id nor around_chunk_id is given.');
}

const noChunk = (id: string): ServiceError =>
  new ServiceError('not_found', `No chunk "${id}" is visible here; documents may have been ingested again since.`);

function outline(number: number, chunk: Chunk): string {
  const page = chunk.page === null ? '' : ` · p. ${chunk.page}`;
  const headings = chunk.headingPath.length === 0 ? '' : ` · ${chunk.headingPath.join(' > ')}`;
  return `[${number}] chunk ${chunk.order}${page}${headings} · characters ${chunk.start}-${chunk.end} · chunk_id ${chunk.id}`;
}
