import { isIngestionOver } from '../documents/document.ts';
import { describeFolder } from './describe-folder.ts';
import type { ToolContext } from './tool-context.ts';

/** Number of documents inspected to find out whether any is searchable yet. */
const DOCUMENTS_SAMPLED = 100;

/** Explains an empty corpus and what to do about it; undefined when searchable documents exist. */
export async function explainEmptyCorpus(
  context: Pick<ToolContext, 'library' | 'visible' | 'ingestion' | 'followed' | 'absentTools'>,
): Promise<string | undefined> {
  const { items, total } = await context.library.list(context.visible, { offset: 0, limit: DOCUMENTS_SAMPLED });
  const isReading = items.length === total && !items.some(({ ingestionStatus }) => isIngestionOver(ingestionStatus));
  if (total > 0 && !isReading) return undefined;
  if (total > 0) {
    const what = total === 1 ? 'One document is' : `${total} documents are`;
    return `${what} still being ingested, and there is nothing else to search. Try again later; citewell status shows the progress.`;
  }
  const reading = (context.followed ?? []).filter(({ state }) => state === 'reading');
  if (reading.length > 0) {
    const folders = reading.map(describeFolder).join('; ');
    return `Nothing can be searched yet: documents are being ingested from ${folders}. Try again later; corpus_status shows the progress.`;
  }
  const instruction =
    context.ingestion === undefined || context.absentTools?.some(({ name }) => name === 'ingest_file')
      ? 'Documents are added with `citewell ingest PATH` on the machine of the server, with `--folder PATH` where a host starts `citewell mcp`, or with POST /v3/documents.'
      : 'Add documents with the tools ingest_file, ingest_text or ingest_url, or with `citewell ingest PATH` in a terminal.';
  const narrowed = context.visible.kind === 'all' ? '' : ', or this request has no access to any of its documents';
  return `The corpus is empty${narrowed}. Searching with other words will not help. ${instruction}`;
}
