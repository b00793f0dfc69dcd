import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Summaries that replace the older messages of a long conversation in a model's context; one per conversation. */
export const conversationSummaries: Migration = {
  async up({ schema }: Kysely<Tables>) {
    await schema
      .createTable('conversation_summaries')
      .addColumn('conversation_id', 'text', (column) =>
        column.primaryKey().references('conversations.id').onDelete('cascade'),
      )
      .addColumn('through_key', 'integer', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .execute();
  },
};
