import { z } from 'zod';
import { type Document, isIngested, type Metadata } from '../../src/documents/document.ts';
import { ServiceError } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import type { IngestionItem, ToolIngestion } from '../../src/toolbox/tool-ports.ts';

/** Milliseconds a call waits for the ingestion; afterwards the caller polls with the document id. */
const WAIT_MS = 20_000;

export const ingestOutcomes = ['ingested', 'started', 'unchanged', 'duplicate'] as const;

export const ingestOutput = z.object({
  document_id: z.string(),
  title: z.string(),
  outcome: z.enum(ingestOutcomes),
  status: z.string(),
  chunk_count: z.number().int(),
  deduplicated: z.boolean(),
});

/** Starts an ingestion and waits up to `WAIT_MS`; a longer one continues, and `corpus_status` reports its state. */
export async function ingestItem(item: IngestionItem, context: ToolContext) {
  const ingestion = requireIngestion(context);
  const { outcome, document } = await ingestion.add(item).catch((error: unknown) => {
    // The arguments were valid, but the content of the file cannot be read.
    const isUnreadable =
      error instanceof ServiceError && error.code === 'invalid_request' && item.content.kind === 'file';
    throw isUnreadable ? new ServiceError('unsupported_type', error.message, { cause: error }) : error;
  });
  if (outcome !== 'accepted') {
    return report(document, outcome);
  }
  await ingestion.wait(document.id, WAIT_MS, context.signal, ({ status, done, total }) =>
    context.progress?.(status, done, total),
  );
  const { items } = await context.library.list(
    { kind: 'compare', field: 'id', op: 'eq', value: document.id },
    { offset: 0, limit: 1 },
  );
  const now = items[0] ?? document;
  if (now.ingestionStatus === 'failed') {
    throw new ServiceError(
      'unsupported_type',
      `"${shortLine(now.title)}" could not be ingested: ${(now.failure ?? 'the reason is unknown').replace(/\.$/, '')}. It is kept as failed under document_id ${now.id}.`,
    );
  }
  return report(now, isIngested(now.ingestionStatus) ? 'ingested' : 'started');
}

export function requireIngestion({ ingestion }: ToolContext): ToolIngestion {
  if (ingestion !== undefined) return ingestion;
  throw new ServiceError('not_configured', 'Documents cannot be added, changed or deleted here.');
}

/** Converts arguments to metadata. The cast is safe because they were parsed from JSON. */
export const toMetadata = (given: Readonly<Record<string, unknown>> | undefined): Metadata => (given ?? {}) as Metadata;

type Outcome = z.output<typeof ingestOutput>['outcome'];

function report({ id, title, ingestionStatus: status, chunkCount: chunks }: Document, outcome: Outcome) {
  const words: Readonly<Record<Outcome, string>> = {
    ingested: `Ingested "${shortLine(title)}" as ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}. It can be searched now.`,
    started: `"${shortLine(title)}" is stored and still being ingested (${status}). To check its status: call corpus_status with document_id="${id}", wait_seconds=20.`,
    unchanged: `Nothing to do: exactly this content is already stored as "${shortLine(title)}".`,
    duplicate: `Nothing to do: the same content is already stored as "${shortLine(title)}".`,
  };
  return {
    text: `${words[outcome]}\ndocument_id ${id}`,
    structured: {
      document_id: id,
      title,
      outcome,
      status,
      chunk_count: chunks,
      deduplicated: outcome === 'unchanged' || outcome === 'duplicate',
    },
  };
}
