import { sql } from 'kysely';
import type { Metadata } from '../../../documents/document.ts';
import { samplePositions } from '../../../documents/sample-positions.ts';
import type { SummaryRecords, SummaryTask } from '../../summary-records.ts';
import type { Database } from '../database.ts';
import { addDocumentFullText, removeDocumentFullText } from '../full-text/full-text-rows.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import type { DocumentTable } from './document-tables.ts';
import { isHeld } from './ingestions.ts';

/** The queue of summaries, stored in columns of their documents. */
export function createSummaries({ reader, writer, shared }: Database): SummaryRecords {
  /** Ends a task. False if its generation of the document is no longer visible, or this server has lost its claim. */
  const settle = (task: SummaryTask, change: Parameters<typeof changeSummary>[2]): Promise<boolean> =>
    writer.transaction().execute((transaction) => changeSummary(transaction, task, change));

  return {
    async requeue() {
      await writer.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('documents')
          .set({ summary_status: 'pending' })
          .where('summary_status', '=', 'processing')
          .where('key', 'not in', (await shared?.documentsInProgress(transaction, 'summary', 'others')) ?? [])
          .execute();
      });
    },

    async take() {
      // Usually nothing is waiting, and the check on the read connection does not block writers.
      if ((await firstWaiting(reader)) === undefined) return undefined;
      return writer.transaction().execute(async (transaction) => {
        const row = await firstWaiting(transaction);
        if (row === undefined) return undefined;
        await transaction
          .updateTable('documents')
          .set({ summary_status: 'processing', summary_note: null })
          .where('key', '=', row.key)
          .execute();
        const { id: documentId, key, generation, title, summary } = row;
        const token = await shared?.tokenOf(transaction, 'summary', key);
        const settings = JSON.parse(row.settings) as Metadata;
        return { documentId, key, generation, title, summary, settings, ...(token !== undefined && { token }) };
      });
    },

    sample: ({ key, generation }, max) =>
      reader.transaction().execute(async (transaction) => {
        const { count } = await transaction
          .selectFrom('chunks')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('document_key', '=', key)
          .where('generation', '=', generation)
          .executeTakeFirstOrThrow();
        const { rows } = await sql<{ text: string }>`
          with placed as (
            select key, row_number() over (order by ordinal) - 1 as place from chunks
            where document_key = ${key} and generation = ${generation}
          )
          select c.text from placed p join chunks c on c.key = p.key
          where p.place in ${dialectOf(transaction).numbers(samplePositions(Number(count), max))}
          order by p.place`.execute(transaction);
        return rows.map(({ text }) => text);
      }),

    async release(task) {
      await settle(task, { summary_status: 'pending' });
    },

    keep: (task, { text, by }) =>
      settle(task, { summary: text, summary_by: by, summary_status: 'success', summary_note: null }),

    async fail(task, note) {
      await settle(task, { summary_status: 'failed', summary_note: note });
    },

    async backlog() {
      const { rows } = await sql<{ waiting: number; failed: number }>`
        select count(*) filter (where summary_status in ('pending', 'processing')) as waiting,
          count(*) filter (where summary_status = 'failed') as failed
        from documents where generation > 0 and summary_status <> 'none'`.execute(reader);
      return rows[0] ?? { waiting: 0, failed: 0 };
    },
  };
}

const firstWaiting = (database: Queries) =>
  database
    .selectFrom('documents')
    .select(['key', 'id', 'generation', 'title', 'summary', 'settings'])
    .where('summary_status', '=', 'pending')
    .where('generation', '>', 0)
    .orderBy('key')
    .executeTakeFirst();

type SummaryColumns = Pick<DocumentTable, 'summary'> & {
  readonly summary_status: string;
  readonly summary_by: string;
  readonly summary_note: string | null;
};

async function changeSummary(
  database: Queries,
  { key, generation, token }: SummaryTask,
  change: Partial<SummaryColumns>,
): Promise<boolean> {
  if (token !== undefined && !(await isHeld(database, 'summary', { key, token }))) return false;
  const isNew = change.summary !== undefined;
  const changed = await database
    .updateTable('documents')
    .set({ ...change, ...(isNew && { updated_at: new Date().toISOString() }) })
    .where('key', '=', key)
    .where('generation', '=', generation)
    .where('summary_status', '=', 'processing')
    .executeTakeFirst();
  if (Number(changed.numUpdatedRows) === 0) return false;
  if (!isNew) return true;
  await removeDocumentFullText(database, key);
  await addDocumentFullText(database, key);
  return true;
}
