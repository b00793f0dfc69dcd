import type { SharedStep } from './shared-steps.ts';

/** Items of remote sources that could not be ingested, and when they are tried again. */
export const failedItems: SharedStep = {
  worksFrom: 19,
  async up({ schema }, types) {
    await schema
      .createTable('source_failures')
      .addColumn('source_id', types.text, (column) => column.notNull())
      .addColumn('item_key', types.text, (column) => column.notNull())
      .addColumn('item', types.text, (column) => column.notNull())
      .addColumn('reason', types.text, (column) => column.notNull())
      .addColumn('tries', types.long, (column) => column.notNull())
      .addColumn('tried_at', types.text, (column) => column.notNull())
      .addColumn('next_try_at', types.text, (column) => column.notNull())
      .addPrimaryKeyConstraint('source_failures_key', ['source_id', 'item_key'])
      .execute();
  },
};
