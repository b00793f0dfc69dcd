import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** A task for each submission of a document, so that every accepted submission is processed, even after a crash. */
export const queue: Migration = {
  async up(database: Kysely<Tables>) {
    const { schema } = database;
    await schema
      .createTable('ingestion_tasks')
      .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('document_key', 'integer', (column) =>
        column.notNull().references('documents.key').onDelete('cascade'),
      )
      .addColumn('attempt', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('priority', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('tries', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('crashes', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_try_at', 'text')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('started_at', 'text')
      .addColumn('finished_at', 'text')
      .execute();
    await schema
      .createIndex('ingestion_tasks_by_document')
      .on('ingestion_tasks')
      .columns(['document_key', 'attempt'])
      .unique()
      .execute();
    await sql`
      create index ingestion_tasks_by_turn on ingestion_tasks (state, crashes desc, priority desc, key)`.execute(
      database,
    );
    await schema
      .createIndex('ingestion_tasks_by_end')
      .on('ingestion_tasks')
      .columns(['state', 'finished_at'])
      .execute();
    // Creates tasks for the documents that an earlier version had not finished, or had failed on, so that they can be
    // resumed.
    await sql`
      insert into ingestion_tasks (id, document_key, attempt, state, tries, last_error, created_at, finished_at)
      select
        lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
          || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))),
        key, attempt, case ingestion_status when 'failed' then 'failed' else 'queued' end,
        case ingestion_status when 'failed' then 1 else 0 end, failure, updated_at,
        case ingestion_status when 'failed' then updated_at end
      from documents where ingestion_status not in ('success', 'enriching')`.execute(database);
  },
};
