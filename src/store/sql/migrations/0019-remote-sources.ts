import type { SharedStep } from './shared-steps.ts';

/** Remote sources: their encrypted credentials, and the state of their items. */
export const remoteSources: SharedStep = {
  worksFrom: 18,
  async up({ schema }, types) {
    await schema.alterTable('followed_sources').addColumn('credentials', types.text).execute();
    await schema.alterTable('followed_sources').addColumn('list_cursor', types.text).execute();
    await schema
      .createTable('source_items')
      .addColumn('source_id', types.text, (column) => column.notNull())
      .addColumn('item_key', types.text, (column) => column.notNull())
      .addColumn('version', types.text)
      .addColumn('uri', types.text, (column) => column.notNull())
      .addColumn('pass', types.text, (column) => column.notNull())
      .addColumn('duplicate_of', types.text)
      .addPrimaryKeyConstraint('source_items_key', ['source_id', 'item_key'])
      .execute();
    await schema.createIndex('source_items_duplicates').on('source_items').column('duplicate_of').execute();
  },
};
