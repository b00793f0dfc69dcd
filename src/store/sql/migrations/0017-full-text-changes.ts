import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Which chunks' full-text entries the last changes touched, so that a reader renews what it remembers of them only. */
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
