import { z } from 'zod';
import type { RunRecord } from '../../runs/run.ts';
import { agentEvent } from './agent-events.ts';
import { ragEvent } from './rag-events.ts';
import { id, timestamp } from './record-parts.ts';

export const runRecord = z
  .object({
    id: z.string(),
    kind: z.string(),
    status: z.enum(['running', 'ended', 'failed', 'cancelled']),
    events: z.int().describe('Number of events so far.'),
    conversation_id: id.nullable(),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'Run' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toRunRecord>]: unknown }>;

export const runEvent = z.union([ragEvent, agentEvent]);

/** Addition: the public record of a run. */
export const toRunRecord = ({ id, kind, status, events, conversationId, startedAt, endedAt }: RunRecord) => ({
  id,
  kind,
  status,
  events,
  conversation_id: conversationId,
  started_at: startedAt,
  ended_at: endedAt,
});
