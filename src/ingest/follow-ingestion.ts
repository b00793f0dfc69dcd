import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '../documents/document.ts';
import type { IngestionQueue, IngestionTask } from '../store/ingestion-queue.ts';
import type { IngestionFeed } from './ingestion-feed.ts';
import type { IngestEvent } from './ingestor.ts';

export interface FollowedEvent {
  /** Identifier to resume after; undefined for an event derived from the records. */
  readonly id: string | undefined;
  readonly event: IngestEvent;
}

export interface Followed {
  readonly document: Document;
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

/** Interval at which the records are polled for changes by other processes. */
const POLL_INTERVAL_MS = 2_000;

/**
 * The events of a document's latest submission: past ones, then new ones as they occur, until the last one. An `after`
 * id of another submission, or of an ended process, starts from the beginning.
 */
export async function* followIngestion(
  { queue, feed }: { readonly queue: Pick<IngestionQueue, 'ofDocument'>; readonly feed: IngestionFeed },
  { document, after, signal }: Followed,
): AsyncGenerator<FollowedEvent, void> {
  const { id: documentId, ingestionAttempt: attempt } = document;
  const log = feed.of({ documentId, attempt });
  let taken = placeIn(log.id, after);
  if (log.events.length === 0) {
    yield { id: undefined, event: { type: 'status', status: document.ingestionStatus } };
  }
  const isOver = async ({ id }: Document) => endOf(await queue.ofDocument(id), document) !== undefined;
  for (;;) {
    signal.throwIfAborted();
    const event = log.events[taken];
    if (event !== undefined) {
      taken++;
      yield { id: `${log.id}:${taken}`, event };
      // A task that is retried after it ended continues in the same log.
      if (isLast(event) && taken >= log.events.length && (await isOver(document))) return;
      continue;
    }
    const changed = log.changed();
    const end = endOf(await queue.ofDocument(documentId), document);
    if (log.events.length > taken) continue;
    if (end !== undefined) {
      yield { id: undefined, event: end };
      return;
    }
    await waitFor(changed, signal);
  }
}

function placeIn(logId: string, after: string | undefined): number {
  const [id, digits = ''] = after?.split(':') ?? [];
  return id === logId && /^\d{1,9}$/.test(digits) ? Number(digits) : 0;
}

const isLast = ({ type }: IngestEvent): boolean => type === 'done' || type === 'failed' || type === 'cancelled';

/** The final event according to the records; undefined while the ingestion is running. */
function endOf(task: IngestionTask | undefined, document: Document): IngestEvent | undefined {
  // Ingested by a version without tasks, unless the document was deleted since.
  if (task === undefined && document.ingestionStatus === 'success') return { type: 'done', document };
  if (task === undefined) return { type: 'cancelled', reason: 'The document was deleted.' };
  if (task.attempt !== document.ingestionAttempt) {
    return { type: 'cancelled', reason: 'A later submission replaced it.' };
  }
  const reason = task.lastError ?? 'The ingestion failed.';
  switch (task.state) {
    case 'succeeded':
      return { type: 'done', document: { ...document, ingestionStatus: 'success' } };
    case 'failed':
      return { type: 'failed', document: { ...document, ingestionStatus: 'failed' }, error: new Error(reason) };
    case 'cancelled':
      return { type: 'cancelled', reason };
    case 'queued':
    case 'running':
      return undefined;
  }
}

async function waitFor(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  await Promise.race([changed, sleep(POLL_INTERVAL_MS, undefined, { signal: either }).catch(() => undefined)]);
  over.abort();
}
