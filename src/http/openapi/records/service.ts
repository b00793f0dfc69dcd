import { z } from 'zod';
import type { toIndexRecord } from '../../wire/index-record.ts';
import type { toPromptRecord } from '../../wire/prompt-record.ts';
import type { toRunRecord } from '../../wire/run-record.ts';
import type { toBacklogRecord, toTaskRecord } from '../../wire/task-record.ts';
import { id, metadata, timestamp } from './shared.ts';

/** docs/contract.md 13. */
const promptMembers = {
  id,
  name: z.string(),
  template: z.string(),
  input_types: z.record(z.string(), z.string()),
  created_at: timestamp,
  updated_at: timestamp,
  built_in: z.boolean(),
  changed: z.boolean(),
};
export const promptRecord = z.object(promptMembers).meta({ id: 'Prompt' }) satisfies z.ZodType<
  ReturnType<typeof toPromptRecord>
>;
export const filledPrompt = z
  .object({ ...promptMembers, message: z.string().describe('How it reads with these inputs.') })
  .meta({ id: 'FilledPrompt' });

/** docs/contract.md 14. */
export const indexRecord = z
  .object({
    index: z.object({
      name: z.string(),
      table_name: z.string(),
      index_method: z.string(),
      index_measure: z.string(),
      index_arguments: z.record(z.string(), z.number()),
      index_column: z.string(),
      state: z.enum(['current', 'building', 'previous']),
      health: z.enum(['in_step', 'checking', 'rebuilding', 'down']).exactOptional(),
      embedder: z.string(),
      embedder_version: z.string(),
      dimensions: z.int(),
      vectors: z.int(),
      created_at: timestamp,
    }),
  })
  .meta({ id: 'VectorIndex' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toIndexRecord>]: unknown }>;

/** Addition of Citewell. */
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

const backlog = z.object({
  queued: z.int(),
  retrying: z.int(),
  running: z.int(),
  failed: z.int(),
  rate_per_second: z.number(),
  eta_seconds: z.number().nullable(),
}) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toBacklogRecord>]: unknown }>;

export const runRecord = z
  .object({
    id: z.string(),
    kind: z.string(),
    status: z.enum(['running', 'ended', 'failed', 'cancelled']),
    events: z.int().describe('How many there are by now.'),
    conversation_id: id.nullable(),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'Run' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toRunRecord>]: unknown }>;

const index = z.object({
  kind: z.enum(['embedded', 'remote', 'memory']),
  state: z.enum(['ready', 'checking', 'rebuilding', 'unavailable']),
});
const facts = { version: z.string(), model: z.string(), embedder: z.string(), index };

/** docs/contract.md 12. */
export const health = z
  .object({ message: z.literal('ok'), ...facts, embedder_reason: z.string().exactOptional() })
  .meta({ id: 'Health' });

/** Numbers of documents whose background work is waiting or has failed. */
const waiting = z.object({ waiting: z.int().min(0), failed: z.int().min(0) });

export const systemStatus = z
  .object({
    start_time: timestamp,
    uptime_seconds: z.number(),
    cpu_usage: z.number().describe('Percent.'),
    memory_usage: z.number().describe('Percent.'),
    citewell: z.object({
      ...facts,
      embedder_reason: z.string().exactOptional(),
      web: z.looseObject({}).exactOptional(),
      graph: waiting.exactOptional(),
      summaries: waiting.exactOptional(),
      data: z.string(),
      hints: z.array(z.string()),
      documents: z.record(z.string(), z.int()),
      chunks: z.int(),
      collections: z.int(),
      owed_to_index: z.int(),
      space: z.looseObject({ collection: z.string() }).nullable(),
      ingestion: backlog,
    }),
  })
  .meta({ id: 'SystemStatus' });

export const systemSettings = z
  .object({ config: metadata, prompts: z.record(z.string(), promptRecord), r2r_project_name: z.string() })
  .meta({ id: 'SystemSettings' });

export const welcome = z.object({
  message: z.string(),
  health: z.string(),
  status: z.string(),
  page: z.string(),
  documentation: z.string(),
  openapi: z.string(),
});
