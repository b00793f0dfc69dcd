import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Members of collections, the build state of a collection's graph, and prompts that were edited or added. */
export const collectionMembers: Migration = {
  async up(database: Kysely<Tables>) {
    const { schema } = database;
    for (const column of ['graph_cluster_status', 'graph_sync_status']) {
      await schema
        .alterTable('collections')
        .addColumn(column, 'text', (definition) => definition.notNull().defaultTo('pending'))
        .execute();
    }
    await schema
      .createTable('collection_members')
      .addColumn('collection_id', 'text', (column) =>
        column.notNull().references('collections.id').onDelete('cascade').onUpdate('cascade'),
      )
      .addColumn('user_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('collection_members_key', ['collection_id', 'user_id'])
      .execute();
    await schema
      .createIndex('collection_members_by_user')
      .on('collection_members')
      .columns(['user_id', 'collection_id'])
      .execute();
    // Makes the owners of existing collections their members.
    await database
      .insertInto('collection_members')
      .columns(['collection_id', 'user_id', 'created_at'])
      .expression(database.selectFrom('collections').select(['id', 'owner_id', 'created_at']))
      .execute();
    await schema
      .createTable('prompts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('template', 'text', (column) => column.notNull())
      .addColumn('input_types', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .execute();
  },
};
