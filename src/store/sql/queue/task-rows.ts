import type { Insertable, Selectable } from 'kysely';
import { newId } from '../../../documents/ids.ts';
import type { IngestionTask, TaskState } from '../../ingestion-queue.ts';
import type { IngestionTaskTable } from '../documents/document-tables.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

export type TaskRow = Selectable<IngestionTaskTable>;

export const toTask = (row: TaskRow & { readonly document_id: string }): IngestionTask => ({
  id: row.id,
  documentId: row.document_id,
  attempt: row.attempt,
  state: row.state as TaskState,
  priority: row.priority,
  tries: row.tries,
  crashes: row.crashes,
  nextTryAt: row.next_try_at,
  lastError: row.last_error,
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});

/** Number of ended tasks of earlier submissions kept for inspection. */
const MAX_KEPT_TASKS = 10;

export interface NewTask {
  readonly documentKey: number;
  readonly attempt: number;
  /** The submitter processes the task itself, and no worker may take it. */
  readonly isHeld: boolean;
  readonly priority: number;
}

/** Inserts the task of a submission and ends the open one of an earlier submission. */
export async function addTask(database: Queries, { documentKey, attempt, isHeld, priority }: NewTask): Promise<void> {
  const now = new Date().toISOString();
  if (attempt > 1) await endEarlierTasks(database, documentKey, { attempt, now });
  const held = { state: 'running', tries: 1, started_at: now };
  const row: Insertable<IngestionTaskTable> = {
    id: newId(),
    document_key: documentKey,
    attempt,
    priority,
    created_at: now,
    ...(isHeld ? held : { state: 'queued' }),
  };
  await database.insertInto('ingestion_tasks').values(row).execute();
}

async function endEarlierTasks(
  database: Queries,
  documentKey: number,
  { attempt, now }: { readonly attempt: number; readonly now: string },
): Promise<void> {
  await database
    .updateTable('ingestion_tasks')
    .set({ state: 'cancelled', last_error: 'A later submission replaced it.', next_try_at: null, finished_at: now })
    .where('document_key', '=', documentKey)
    .where('state', 'in', OPEN)
    .execute();
  if (attempt <= MAX_KEPT_TASKS) return;
  await database
    .deleteFrom('ingestion_tasks')
    .where('document_key', '=', documentKey)
    .where('attempt', '<', attempt - MAX_KEPT_TASKS)
    .execute();
}

export const OPEN: readonly TaskState[] = ['queued', 'running'];

/** Updates the task of the document's latest submission to match its status; `reason` for a failure. */
export async function updateTaskStatus(
  database: Queries,
  documentKey: number,
  { status, reason }: { readonly status: string; readonly reason: string | null },
): Promise<void> {
  const state = ENDS[status];
  if (state === undefined) return;
  await database
    .updateTable('ingestion_tasks')
    .set({ state, last_error: reason, next_try_at: null, finished_at: new Date().toISOString() })
    .where('document_key', '=', documentKey)
    .where('attempt', '=', (from) => from.selectFrom('documents').select('attempt').where('key', '=', documentKey))
    .where('state', 'in', OPEN)
    .execute();
}

const ENDS: Readonly<Record<string, TaskState>> = { success: 'succeeded', enriching: 'succeeded', failed: 'failed' };
