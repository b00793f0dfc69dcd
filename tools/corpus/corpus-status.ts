import { z } from 'zod';
import { isIngestionOver } from '../../src/documents/document.ts';
import { ServiceError } from '../../src/errors.ts';
import { describeFolder } from '../../src/toolbox/describe-folder.ts';
import { cursor, documentId, filters, limit } from '../../src/toolbox/fields.ts';
import { filterableFields } from '../../src/toolbox/filterable-fields.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { shortDocumentId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { describeDocument, documentRecord, toDocumentRecord } from './describe-record.ts';
import { listDocuments } from './list-documents.ts';

/** Number of documents sampled to find filterable metadata fields. */
const DOCUMENTS_SAMPLED = 100;

export const corpusStatus = defineTool({
  name: 'corpus_status',
  title: 'Show corpus status',
  description:
    'Without arguments: the number of documents, the models used for search and answers, the fields that filters can use with examples, and which tools are unavailable and how to enable them. With list=true: the documents, newest first, with status, size and identifier, including those that are still being ingested or have failed. With document_id: the ingestion status of that document. To find documents by topic use search_file_descriptions.',
  input: z.object({
    list: z.boolean().default(false).describe('true lists the documents'),
    filters,
    limit: limit(30, 100),
    cursor,
    document_id: documentId.optional(),
    wait_seconds: z
      .number()
      .min(0)
      .max(25)
      .default(0)
      .describe('With document_id: seconds to wait for its ingestion to finish (0 to 25)'),
  }),
  output: z.object({
    documents: z.number().int().optional(),
    documents_by_status: z.record(z.string(), z.number().int()).optional(),
    chunks: z.number().int().optional(),
    pending_index_writes: z.number().int().optional(),
    embedder: z.string().optional(),
    model: z.string().optional(),
    index: z.string().optional(),
    fields: z.array(z.object({ name: z.string(), type: z.string(), examples: z.array(z.string()) })).optional(),
    absent_tools: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
    folders: z.array(z.string()).optional(),
    hints: z.array(z.string()).optional(),
    list: z.array(documentRecord).optional(),
    total: z.number().int().optional(),
    next_cursor: z.string().optional(),
    is_finished: z.boolean().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needs: ['facts'],
  deadline: 35_000,

  async execute(input, context) {
    if (input.document_id !== undefined) return documentState(input.document_id, input.wait_seconds, context);
    const lists = input.list || input.filters !== undefined || input.cursor !== undefined;
    return lists ? listDocuments(input, context) : overview(context);
  },
});

async function overview({ facts, library, visible, absentTools = [], followed = [] }: ToolContext) {
  if (facts === undefined) throw new ServiceError('not_configured', 'The status of the corpus is not available here.');
  const [{ documents, ...known }, sample] = await Promise.all([
    facts(),
    library.list(visible, { offset: 0, limit: DOCUMENTS_SAMPLED }),
  ]);
  const byStatus = Object.fromEntries(Object.entries(documents).filter(([, count]) => count > 0));
  const total = Object.values(documents).reduce((sum, count) => sum + count, 0);
  const fields = filterableFields(sample.items);
  const states = Object.entries(byStatus).map(([status, count]) => `${count} ${status}`);
  const lines = [
    `Documents: ${total}${states.length === 0 ? '' : ` (${states.join(', ')})`}, chunks: ${known.chunks}`,
    ...followed.map((folder) => `Folder: ${describeFolder(folder)}`),
    `Search: ${known.embedder}, index ${known.index}${known.pendingIndexWrites > 0 ? `, ${known.pendingIndexWrites} chunks not yet indexed` : ''}`,
    `Answers: ${known.model}`,
    `Fields for filters:${fields.length === 0 ? ' none yet' : ''}`,
    ...fields.map(({ name, type, examples }) => `  ${name} (${type}), e.g. ${examples.join(', ')}`),
    ...(absentTools.length === 0 ? [] : ['Unavailable tools:']),
    ...absentTools.map(({ name, reason }) => `  ${name}: ${reason}`),
    ...known.hints,
  ];
  return {
    text: lines.join('\n'),
    structured: {
      documents: total,
      documents_by_status: byStatus,
      chunks: known.chunks,
      pending_index_writes: known.pendingIndexWrites,
      embedder: known.embedder,
      model: known.model,
      index: known.index,
      fields,
      absent_tools: absentTools.map(({ name, reason }) => ({ name, reason })),
      ...(followed.length === 0 ? {} : { folders: followed.map(describeFolder) }),
      hints: [...known.hints],
    },
  };
}

/** Reports the ingestion state of a document after waiting up to `waitSeconds` for the ingestion to finish. */
async function documentState(given: string, waitSeconds: number, context: ToolContext) {
  let document = await findDocument(given, context);
  if (!isIngestionOver(document.ingestionStatus) && waitSeconds > 0 && context.ingestion !== undefined) {
    await context.ingestion.wait(document.id, waitSeconds * 1000, context.signal, ({ status, done, total }) =>
      context.progress?.(status, done, total),
    );
    document = await findDocument(document.id, context);
  }
  const isFinished = isIngestionOver(document.ingestionStatus);
  const { audience } = context.settings;
  const next = isFinished
    ? ''
    : `\nNot finished: call corpus_status with document_id="${shortDocumentId(document.id)}", wait_seconds=20.`;
  return {
    text: `${describeDocument(document, audience)}${next}`,
    structured: { list: [toDocumentRecord(document, audience)], total: 1, is_finished: isFinished },
  };
}
