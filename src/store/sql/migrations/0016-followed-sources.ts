import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Folders and sites with which documents are kept in step. */
export const followedSources: Migration = {
  async up({ schema }: Kysely<Tables>) {
    await schema
      .createTable('followed_sources')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('owner_id', 'text', (column) => column.notNull())
      .addColumn('location', 'text', (column) => column.notNull())
      .addColumn('collection_ids', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('last_sync', 'text')
      .execute();
  },
};
