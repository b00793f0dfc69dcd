import type { RunRecord } from '../../runs/run.ts';

/** Ours: a run as clients see it. */
export const toRunRecord = ({ id, kind, status, events, conversationId, startedAt, endedAt }: RunRecord) => ({
  id,
  kind,
  status,
  events,
  conversation_id: conversationId,
  started_at: startedAt,
  ended_at: endedAt,
});
