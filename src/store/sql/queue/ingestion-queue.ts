import { type RawBuilder, sql } from 'kysely';
import type { FailureRemedy } from '../../../documents/document.ts';
import { everything } from '../../../documents/filter.ts';
import type { Backlog, IngestionQueue, IngestionTask } from '../../ingestion-queue.ts';
import { AttemptTakenOver } from '../../taken-over.ts';
import type { Database } from '../database.ts';
import { findRow } from '../documents/document-rows.ts';
import { update } from '../documents/ingestions.ts';
import { dropStaged } from '../documents/staged-chunks.ts';
import { filterToSql } from '../filters/to-sql.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { OPEN, toTask } from './task-rows.ts';

/** IngestionQueue in the record store. */
export function createIngestionQueue({ reader, writer, search, shared }: Database): IngestionQueue {
  const { filters } = search.dialect;
  return {
    get: (id) => findTask(reader, id),

    async ofDocument(documentId) {
      const row = await tasks(reader)
        .where('d.id', '=', documentId.toLowerCase())
        .orderBy('t.attempt', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toTask(row);
    },

    list: ({ filter, states, documentIds }, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        let query = tasks(transaction).where(filterToSql(filter, 'document', filters));
        if (states !== undefined) query = query.where('t.state', 'in', states);
        if (documentIds !== undefined) query = query.where('d.id', 'in', documentIds);
        const { total } = await query
          .clearSelect()
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .executeTakeFirstOrThrow();
        const rows = await query.orderBy('t.key', 'desc').offset(offset).limit(limit).execute();
        return { items: rows.map(toTask), total };
      }),

    backlog: (filter = everything) => readBacklog(reader, filterToSql(filter, 'document', filters)),

    take: ({ alone, waits = false }) =>
      writer.transaction().execute(async (transaction) => {
        const now = new Date().toISOString();
        let query = transaction
          .selectFrom('ingestion_tasks')
          .selectAll()
          .where('state', '=', 'queued')
          .where((where) => where.or([where('next_try_at', 'is', null), where('next_try_at', '<=', now)]));
        if (!alone && !waits) query = query.where('crashes', '=', 0);
        const next = await query
          .orderBy('crashes', 'desc')
          .orderBy('priority', 'desc')
          .orderBy('key')
          .limit(1)
          .executeTakeFirst();
        if (next === undefined || (next.crashes > 0 && !alone)) return undefined;
        await transaction
          .updateTable('ingestion_tasks')
          .set({ state: 'running', tries: next.tries + 1, started_at: now, next_try_at: null })
          .where('key', '=', next.key)
          .execute();
        const task = await findTask(transaction, next.id);
        const token = await shared?.tokenOf(transaction, 'ingestion', next.document_key);
        return task && { ...task, ...(token !== undefined && { token }) };
      }),

    async nextDue() {
      const row = await reader
        .selectFrom('ingestion_tasks')
        .select(({ fn }) => fn.min('next_try_at').as('due'))
        .where('state', '=', 'queued')
        .executeTakeFirst();
      return row?.due == null ? undefined : new Date(row.due);
    },

    async postpone({ id, token }, { reason, until }) {
      await writer
        .updateTable('ingestion_tasks')
        // The process survived this attempt, so the crash count is reset.
        .set({ state: 'queued', crashes: 0, last_error: reason, next_try_at: until.toISOString() })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .$if(token !== undefined, (query) => query.where(isHeldBy(token)))
        .execute();
    },

    async hold(documentId, attempt) {
      if (shared === undefined) return attempt;
      const row = await findRow(reader, documentId);
      const token = row && (await shared.tokenOf(reader, 'ingestion', row.key));
      if (token === undefined) throw new AttemptTakenOver(documentId);
      return { attempt, token };
    },

    async release(documentId, given) {
      const { attempt, token } = typeof given === 'object' ? given : { attempt: given };
      await writer
        .updateTable('ingestion_tasks')
        .set(({ eb }) => ({ state: 'queued', tries: eb('tries', '-', 1), next_try_at: null }))
        .where('document_key', 'in', (from) =>
          from.selectFrom('documents').select('key').where('id', '=', documentId.toLowerCase()),
        )
        .where('attempt', '=', attempt)
        .where('state', '=', 'running')
        .$if(token !== undefined, (query) => query.where(isHeldBy(token)))
        .execute();
    },

    cancel: (id, reason) =>
      writer.transaction().execute(async (transaction) => {
        const row = await tasks(transaction)
          .select(['d.key as documentKey', 'd.generation', 'd.attempt as latest'])
          .where('t.id', '=', id.toLowerCase())
          .executeTakeFirst();
        if (row === undefined || !OPEN.some((state) => state === row.state)) return false;
        await transaction
          .updateTable('ingestion_tasks')
          .set({ state: 'cancelled', last_error: reason, next_try_at: null, finished_at: new Date().toISOString() })
          .where('id', '=', row.id)
          .execute();
        if (row.latest !== row.attempt) return true;
        await dropStaged(transaction, { key: row.documentKey, generation: row.generation });
        await update(transaction, row.documentKey, {
          ingestion_status: 'failed',
          failure: reason,
          failure_remedy: 'retry' satisfies FailureRemedy,
        });
        return true;
      }),

    retry: ({ filter, taskId }) =>
      writer.transaction().execute(async (transaction) => {
        let query = tasks(transaction)
          .clearSelect()
          .select('t.key')
          .where('t.state', 'in', ['failed', 'cancelled'])
          .where('d.ingestion_status', '=', 'failed')
          .whereRef('t.attempt', '=', 'd.attempt')
          .where(filterToSql(filter, 'document', filters));
        if (taskId !== undefined) query = query.where('t.id', '=', taskId.toLowerCase());
        // Two statements regardless of the number of tasks; the documents to retry are the failed ones with a queued
        // task.
        const again = await transaction
          .updateTable('ingestion_tasks')
          .set({ state: 'queued', tries: 0, crashes: 0, next_try_at: null, started_at: null, finished_at: null })
          .where('key', 'in', query)
          .executeTakeFirst();
        await transaction
          .updateTable('documents')
          .set({ ingestion_status: 'pending', failure: null, updated_at: new Date().toISOString() })
          .where('ingestion_status', '=', 'failed')
          .where('key', 'in', (from) =>
            from.selectFrom('ingestion_tasks').select('document_key').where('state', '=', 'queued'),
          )
          .execute();
        return Number(again.numUpdatedRows);
      }),
  };
}

const isHeldBy = (token: number | undefined) =>
  sql<boolean>`exists (select 1 from cluster_claims c where c.kind = 'ingestion'
    and c.document_key = ingestion_tasks.document_key and c.token = ${token})`;

const tasks = (database: Queries) =>
  database
    .selectFrom('ingestion_tasks as t')
    .innerJoin('documents as d', 'd.key', 't.document_key')
    .selectAll('t')
    .select('d.id as document_id');

async function findTask(database: Queries, id: string): Promise<IngestionTask | undefined> {
  const row = await tasks(database).where('t.id', '=', id.toLowerCase()).executeTakeFirst();
  return row && toTask(row);
}

/** Number of crashes during a document's ingestion after which it is no longer retried automatically. */
const MAX_CRASHES = 3;

/**
 * Requeues tasks that were running when their process ended, except for documents that crashed it each time. `inProgress`
 * are the documents that a running process still works on.
 */
export async function recoverTasks(database: Queries, inProgress: readonly number[] = []): Promise<void> {
  await database
    .updateTable('ingestion_tasks')
    .set(({ eb }) => ({ state: 'queued', crashes: eb('crashes', '+', 1), next_try_at: null }))
    .where('state', '=', 'running')
    .where('document_key', 'not in', inProgress)
    .execute();
  const lost = await tasks(database)
    .select(['d.key as documentKey', 'd.generation'])
    .where('t.state', '=', 'queued')
    .where('t.crashes', '>=', MAX_CRASHES)
    .execute();
  for (const { documentKey, generation, crashes } of lost) {
    await dropStaged(database, { key: documentKey, generation });
    const failure =
      `The process crashed ${crashes} times while ingesting this document, so it is not retried automatically. ` +
      'To retry it, run: citewell ingest retry';
    await update(database, documentKey, {
      ingestion_status: 'failed',
      failure,
      failure_remedy: 'retry' satisfies FailureRemedy,
    });
  }
}

const RATE_WINDOW_MS = 5 * 60_000;

async function readBacklog(reader: Queries, matches: RawBuilder<boolean>): Promise<Backlog> {
  const counted = await reader
    .selectFrom('ingestion_tasks as t')
    .innerJoin('documents as d', 'd.key', 't.document_key')
    .select(({ fn }) => [
      't.state',
      fn.countAll<number>().as('count'),
      fn.count<number>('t.next_try_at').as('waiting'),
      fn.min('t.created_at').as('oldest'),
    ])
    .where('t.state', 'in', ['queued', 'running'])
    .where(matches)
    .groupBy('t.state')
    .execute();
  const { failed } = await reader
    .selectFrom('documents as d')
    .select(({ fn }) => fn.countAll<number>().as('failed'))
    .where('d.ingestion_status', '=', 'failed')
    .where(matches)
    .executeTakeFirstOrThrow();
  const of = (state: string) => counted.find((row) => row.state === state);
  const [queued, running] = [of('queued')?.count ?? 0, of('running')?.count ?? 0];
  const ratePerSecond = await recentRate(reader, matches);
  const left = queued + running;
  const oldest = of('queued')?.oldest;
  return {
    queued,
    retrying: of('queued')?.waiting ?? 0,
    running,
    failed,
    oldestSeconds: oldest == null ? 0 : Math.max(0, (Date.now() - Date.parse(oldest)) / 1000),
    ratePerSecond,
    etaSeconds: left === 0 ? 0 : ratePerSecond === 0 ? null : Math.ceil(left / ratePerSecond),
  };
}

/** Measured from the first start among the recently finished tasks, so that an earlier idle time does not count. */
async function recentRate(reader: Queries, matches: RawBuilder<boolean>): Promise<number> {
  const now = Date.now();
  const since = new Date(now - RATE_WINDOW_MS).toISOString();
  const { finished, first } = await reader
    .selectFrom('ingestion_tasks as t')
    .innerJoin('documents as d', 'd.key', 't.document_key')
    .select(({ fn }) => [fn.countAll<number>().as('finished'), fn.min('t.started_at').as('first')])
    .where('t.state', '=', 'succeeded')
    .where('t.finished_at', '>=', since)
    .where(matches)
    .executeTakeFirstOrThrow();
  if (finished === 0 || first === null) return 0;
  const from = Math.max(Date.parse(first), now - RATE_WINDOW_MS);
  return finished / Math.max(1, (now - from) / 1000);
}
