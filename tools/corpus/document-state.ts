import { findDocument } from '../../src/toolbox/find-document.ts';
import { shortDocumentId } from '../../src/toolbox/short-id.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import { describeDocument, toDocumentRecord } from './describe-record.ts';

const FINAL_STATES: ReadonlySet<string> = new Set(['success', 'enriched', 'failed']);

/** Ingestion state of a document; waits up to this many seconds for the end. */
export async function documentState(given: string, waitSeconds: number, context: ToolContext) {
  let document = await findDocument(given, context);
  if (!FINAL_STATES.has(document.ingestionStatus) && waitSeconds > 0 && context.ingestion !== undefined) {
    await context.ingestion.wait(document.id, waitSeconds * 1000, context.signal, ({ status, done, total }) =>
      context.progress?.(status, done, total),
    );
    document = await findDocument(document.id, context);
  }
  const isFinished = FINAL_STATES.has(document.ingestionStatus);
  const next = isFinished
    ? ''
    : `\nNot finished: call corpus_status with document_id="${shortDocumentId(document.id)}", wait_seconds=20.`;
  return {
    text: `${describeDocument(document)}${next}`,
    structured: { list: [toDocumentRecord(document)], total: 1, is_finished: isFinished },
  };
}
