import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Records the chunks whose full-text entries recently changed, so that a reader refreshes its cache only for these. */
export const fullTextChanges: Migration = {
  async up({ schema }: Kysely<Tables>) {
    await schema
      .createTable('full_text_changes')
      .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('first_chunk', 'integer', (column) => column.notNull())
      .addColumn('last_chunk', 'integer', (column) => column.notNull())
      .execute();
  },
};
