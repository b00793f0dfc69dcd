import { z } from 'zod';
import type { CorpusStats } from '../../store/corpus.ts';
import type { Backlog } from '../../store/ingestion-queue.ts';
import type { ClusterMember } from '../../store/other-servers.ts';
import type { ServiceStatus } from '../http-services.ts';
import { deploymentFacts } from './health-record.ts';
import { promptRecord } from './prompt-record.ts';
import { metadata, timestamp } from './record-parts.ts';
import { backlogRecord, toBacklogRecord } from './task-record.ts';

export const backupProgress = z.object({
  copying: z
    .object({ done: z.int().min(0), total: z.int().min(0) })
    .nullable()
    .describe('Bytes of the copy that a backup begins with, made by this process; null if none is being made.'),
});

/** Numbers of documents whose background work is waiting or has failed. */
const waitingCounts = z.object({ waiting: z.int().min(0), failed: z.int().min(0) });

const clusterProcess = z.object({
  role: z.enum(['server', 'worker', 'mcp', 'command']),
  name: z.string().describe('Machine name and process id.'),
  version: z.string(),
  started_at: timestamp,
  seen_at: timestamp.describe('Time of its last heartbeat.'),
  leads: z.boolean().describe('Whether it is the process that does shared work, such as following sources.'),
  tasks: z.int().min(0).describe('Number of documents it is processing.'),
});

/** docs/contract.md 12. */
export const systemStatus = z
  .object({
    start_time: timestamp,
    uptime_seconds: z.number(),
    cpu_usage: z.number().describe('Percent.'),
    memory_usage: z.number().describe('Percent.'),
    citewell: z.object({
      ...deploymentFacts,
      embedder_reason: z.string().exactOptional(),
      web: z.looseObject({}).exactOptional(),
      graph: waitingCounts.exactOptional(),
      summaries: waitingCounts.exactOptional(),
      data: z.string(),
      database: z.string().exactOptional().describe('The database of the records, if it is not in the data folder.'),
      originals: z
        .object({ place: z.string(), state: z.enum(['ready', 'unavailable']) })
        .exactOptional()
        .describe('The storage of the uploaded files, if they are not in the database.'),
      processes: z
        .array(clusterProcess)
        .exactOptional()
        .describe('The processes that use the database, if several can.'),
      problems: z.array(z.string()).describe('Configured services that do not answer, and damage to the store.'),
      hints: z.array(z.string()),
      documents: z.record(z.string(), z.int()),
      chunks: z.int(),
      collections: z.int(),
      pending_index_writes: z.int(),
      space: z.looseObject({ collection: z.string() }).nullable(),
      ingestion: backlogRecord,
    }),
  })
  .meta({ id: 'SystemStatus' });

export const systemSettings = z
  .object({ config: metadata, prompts: z.record(z.string(), promptRecord), r2r_project_name: z.string() })
  .meta({ id: 'SystemSettings' });

export const welcomeRecord = z.object({
  message: z.string(),
  health: z.string(),
  status: z.string(),
  page: z.string(),
  documentation: z.string(),
  openapi: z.string(),
});

/** The service's state for `citewell status`. */
export function toCitewellStatus(
  { embedderReason, processes, ...service }: ServiceStatus,
  { documents, chunks, collections, pendingIndexWrites, space }: CorpusStats,
  backlog: Backlog,
) {
  const pending = { pending_index_writes: pendingIndexWrites, embedder_reason: embedderReason };
  const shared = processes && { processes: processes.map(toClusterProcess) };
  return {
    ...service,
    ...pending,
    ...shared,
    documents,
    chunks,
    collections,
    space,
    ingestion: toBacklogRecord(backlog),
  };
}

const toClusterProcess = ({ role, name, version, startedAt, seenAt, leads, tasks }: ClusterMember) => ({
  role,
  name,
  version,
  started_at: startedAt.toISOString(),
  seen_at: seenAt.toISOString(),
  leads,
  tasks,
});

export const welcome = {
  message: 'Citewell: answers over your own documents, with citations. The interface is under /v3.',
  health: '/v3/health',
  status: '/v3/system/status',
  page: '/',
  documentation: '/docs',
  openapi: '/v3/openapi.json',
} satisfies z.infer<typeof welcomeRecord>;
