import { z } from 'zod';
import { type Audience, messageFor, reasonFor, ServiceError } from '../../errors.ts';
import type { FollowedEvent } from '../../ingest/follow-ingestion.ts';
import type { Backlog, IngestionTask } from '../../store/ingestion-queue.ts';
import type { ServerSentEvent } from '../sse.ts';
import { failureRemedy } from './document-record.ts';
import { id, timestamp } from './record-parts.ts';
import { doneSchema, errorSchema, eventSchema } from './stream-events.ts';

/** Addition: an ingestion task. */
export const taskRecord = z
  .object({
    id,
    document_id: id,
    ingestion_attempt_number: z.int(),
    state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    priority: z.int(),
    tries: z.int(),
    next_try_at: timestamp.nullable(),
    last_error: z.string().nullable(),
    created_at: timestamp,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Task' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toTaskRecord>]: unknown }>;

export const backlogRecord = z.object({
  queued: z.int(),
  retrying: z.int(),
  running: z.int(),
  failed: z.int(),
  rate_per_second: z.number(),
  eta_seconds: z.number().nullable(),
}) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toBacklogRecord>]: unknown }>;

const ofDocument = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ document_id: id, ...shape });

/** Addition: an event about the progress of a document's ingestion. */
export const ingestionEvent = z
  .union([
    eventSchema('status', ofDocument({ ingestion_status: z.string() })),
    eventSchema(
      'progress',
      ofDocument({ ingestion_status: z.enum(['augmenting', 'embedding']), done: z.int(), total: z.int() }),
    ),
    eventSchema('postponed', ofDocument({ reason: z.string(), next_try_at: timestamp })),
    eventSchema('ingested', ofDocument({ ingestion_status: z.literal('success'), chunk_count: z.int() })),
    eventSchema(
      'failed',
      ofDocument({ ingestion_status: z.literal('failed'), reason: z.string(), failure_remedy: failureRemedy }),
    ),
    eventSchema('cancelled', ofDocument({ reason: z.string() })),
    errorSchema,
    doneSchema,
  ])
  .meta({ id: 'IngestionEvent' });

/** Addition: the task that ingests one submission of a document. */
export const toTaskRecord = (task: IngestionTask, audience: Audience) => ({
  id: task.id,
  document_id: task.documentId,
  ingestion_attempt_number: task.attempt,
  state: task.state,
  priority: task.priority,
  tries: task.tries,
  next_try_at: task.nextTryAt,
  last_error: task.lastError && reasonFor(task.lastError, audience),
  created_at: task.createdAt,
  started_at: task.startedAt,
  finished_at: task.finishedAt,
});

/** Addition: the size of the ingestion backlog, and its throughput. */
export const toBacklogRecord = (backlog: Backlog) => ({
  queued: backlog.queued,
  retrying: backlog.retrying,
  running: backlog.running,
  failed: backlog.failed,
  rate_per_second: Number(backlog.ratePerSecond.toFixed(3)),
  eta_seconds: backlog.etaSeconds,
});

/** Addition: an event of a document's ingestion. */
export function toIngestionEvent(
  { id, event }: FollowedEvent,
  documentId: string,
  audience: Audience,
): ServerSentEvent {
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
      return sent('postponed', { reason: messageOf(event.error, audience), next_try_at: event.until.toISOString() });
    case 'done':
      return sent('ingested', { ingestion_status: 'success', chunk_count: event.document.chunkCount });
    case 'failed':
      return sent('failed', {
        ingestion_status: 'failed',
        reason: messageOf(event.error, audience),
        failure_remedy: event.document.failureRemedy ?? null,
      });
    case 'cancelled':
      return sent('cancelled', { reason: reasonFor(event.reason, audience) });
  }
}

/** What the events of an ingestion tell of its failure; the same as the record of the document tells later. */
const messageOf = (error: Error, audience: Audience): string =>
  error instanceof ServiceError ? messageFor(error, audience) : reasonFor(error.message, audience);
