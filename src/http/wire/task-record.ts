import type { FollowedEvent } from '../../ingest/follow-ingestion.ts';
import type { Backlog, IngestionTask } from '../../store/ingestion-queue.ts';
import type { ServerSentEvent } from '../sse.ts';

/** Ours: the work on one submission of a document. */
export const toTaskRecord = (task: IngestionTask) => ({
  id: task.id,
  document_id: task.documentId,
  ingestion_attempt_number: task.attempt,
  state: task.state,
  priority: task.priority,
  tries: task.tries,
  next_try_at: task.nextTryAt,
  last_error: task.lastError,
  created_at: task.createdAt,
  started_at: task.startedAt,
  finished_at: task.finishedAt,
});

/** Ours: how much there is to do, and how fast it goes. */
export const toBacklogRecord = (backlog: Backlog) => ({
  queued: backlog.queued,
  retrying: backlog.retrying,
  running: backlog.running,
  failed: backlog.failed,
  rate_per_second: Number(backlog.ratePerSecond.toFixed(3)),
  eta_seconds: backlog.etaSeconds,
});

/** Ours: what happens to a document on its way in. */
export function toIngestionEvent({ id, event }: FollowedEvent, documentId: string): ServerSentEvent {
  const sent = (name: string, data: object): ServerSentEvent => ({
    event: name,
    data: { document_id: documentId, ...data },
    ...(id === undefined ? {} : { id }),
  });
  switch (event.type) {
    case 'status':
      return sent('status', { ingestion_status: event.status });
    case 'progress':
      return sent('progress', { ingestion_status: event.stage, done: event.done, total: event.total });
    case 'postponed':
      return sent('postponed', { reason: event.error.message, next_try_at: event.until.toISOString() });
    case 'done':
      return sent('ingested', { ingestion_status: 'success', chunk_count: event.document.chunkCount });
    case 'failed':
      return sent('failed', { ingestion_status: 'failed', reason: event.error.message });
    case 'cancelled':
      return sent('cancelled', { reason: event.reason });
  }
}
