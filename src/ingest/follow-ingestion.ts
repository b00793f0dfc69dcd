import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '../documents/document.ts';
import type { IngestionQueue, IngestionTask } from '../store/ingestion-queue.ts';
import type { IngestionFeed, IngestionLog } from './ingestion-feed.ts';
import type { IngestEvent } from './ingestor.ts';

export interface FollowedEvent {
  /** Identifier to resume after; undefined for an event derived from the records. */
  readonly id: string | undefined;
  readonly event: IngestEvent;
}

export interface FollowParts {
  readonly document: Document;
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

/** Interval at which the records are polled for changes by other processes. */
const POLL_INTERVAL_MS = 2_000;

/**
 * The events of a document's latest submission: past ones, then new ones as they occur, until the last one. If
 * `after` belongs to another submission, or to a log that is no longer kept, the events start from the beginning.
 */
export async function* followIngestion(
  { queue, feed }: { readonly queue: Pick<IngestionQueue, 'ofDocument'>; readonly feed: IngestionFeed },
  { document, after, signal }: FollowParts,
): AsyncGenerator<FollowedEvent, void> {
  const log = feed.logFor(document);
  let place = after;
  const isOver = async () => endOf(await queue.ofDocument(document.id), document);
  if ((await log.after(place)).length === 0 && (await log.after(undefined)).length === 0) {
    yield { id: undefined, event: { type: 'status', status: document.ingestionStatus } };
  }
  for (;;) {
    signal.throwIfAborted();
    // Start waiting before reading, so that no event is missed.
    using next = startWaiting(log, signal);
    const events = await log.after(place);
    for (const placed of events) {
      place = placed.id;
      yield placed;
      signal.throwIfAborted();
    }
    const last = events.at(-1);
    if (last !== undefined) {
      // A task that is retried after it has ended continues in the same log.
      if (isLast(last.event) && (await isOver()) && (await log.after(place)).length === 0) return;
      continue;
    }
    const end = await isOver();
    if (end !== undefined) {
      await log.settled();
      if ((await log.after(place)).length > 0) continue;
      yield { id: undefined, event: end };
      return;
    }
    await next.change;
  }
}

const isLast = ({ type }: IngestEvent): boolean => type === 'done' || type === 'failed' || type === 'cancelled';

/** The final event according to the records; undefined while the ingestion is running. */
function endOf(task: IngestionTask | undefined, document: Document): IngestEvent | undefined {
  // Without a task, an older version ingested the document, or the document was deleted since.
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

/** Waits for the next event, or for the poll interval, because some final states appear only in the records. */
function startWaiting(log: IngestionLog, signal: AbortSignal): Disposable & { readonly change: Promise<void> } {
  const over = new AbortController();
  const combined = AbortSignal.any([signal, over.signal]);
  const pause = sleep(POLL_INTERVAL_MS, undefined, { signal: combined });
  const change = Promise.race([log.changed(combined), pause]).catch(() => {});
  return { change, [Symbol.dispose]: () => over.abort() };
}
