import { z } from 'zod';
import { documentId } from '../../src/toolbox/fields.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { describeDocument, documentRecord, toDocumentRecord } from './describe-record.ts';

const OVER: ReadonlySet<string> = new Set(['success', 'enriched', 'failed']);

export const documentStatus = defineTool({
  name: 'document_status',
  title: 'Show the state of a document',
  description:
    'Show how far the ingestion of a document has come: its state, the reason of a failure, and its size once it can be searched. With wait_seconds it answers as soon as the ingestion is over, or when that time is up.',
  input: z.object({
    document_id: documentId,
    wait_seconds: z.number().min(0).max(25).default(0).describe('Wait this long for the end (0 to 25, default 0)'),
  }),
  output: documentRecord.extend({ is_finished: z.boolean() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 35_000,

  async execute(input, context) {
    let document = await findDocument(input.document_id, context);
    if (!OVER.has(document.ingestionStatus) && input.wait_seconds > 0 && context.intake !== undefined) {
      await context.intake.wait(document.id, input.wait_seconds * 1000, context.signal, ({ status, done, total }) =>
        context.progress?.(status, done, total),
      );
      document = await findDocument(document.id, context);
    }
    const isFinished = OVER.has(document.ingestionStatus);
    const next = isFinished
      ? ''
      : `\nNot finished: call document_status with document_id="${document.id}", wait_seconds=20.`;
    return {
      text: `${describeDocument(document)}${next}`,
      structured: { ...toDocumentRecord(document), is_finished: isFinished },
    };
  },
});
