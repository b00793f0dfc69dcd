import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Tables that refer to objects. Their triggers queue an object's removal in the transaction that drops a reference. */
const tables = ['document_files', 'version_files', 'visible_originals'] as const;

/** Uploaded files that are stored as objects outside the database: their names, and the objects to be removed. */
export const originalObjects: SharedStep = {
  worksFrom: 20,
  async up(database, types) {
    const { schema } = database;
    for (const table of tables) {
      await schema.alterTable(table).addColumn('object', types.text).execute();
      await schema.createIndex(`${table}_object`).on(table).column('object').execute();
    }
    await schema
      .createTable('object_removals')
      .addColumn('object', types.text, (column) => column.primaryKey().notNull())
      .addColumn('due_at', types.text, (column) => column.notNull())
      .addColumn('claimed_at', types.text)
      .execute();
    await schema.createIndex('object_removals_due').on('object_removals').column('due_at').execute();
    await executeFor(database, {
      sqlite: tables.flatMap((table) => [
        sqliteTrigger(`${table}_object_gone`, `after delete on ${table}`, 'old.object is not null'),
        sqliteTrigger(`${table}_object_replaced`, `after update of object on ${table}`, REPLACED),
      ]),
      postgres: [
        `create function queue_object_removal() returns trigger language plpgsql as $$ begin ${QUEUE}; return null; end $$`,
        ...tables.flatMap((table) => [
          postgresTrigger(`${table}_object_gone`, `after delete on ${table}`, 'old.object is not null'),
          postgresTrigger(`${table}_object_replaced`, `after update of object on ${table}`, REPLACED),
        ]),
      ],
    });
  },
};

/** Due immediately. Whether another record refers to the object is checked when it is removed. */
const QUEUE = "insert into object_removals (object, due_at) values (old.object, '') on conflict do nothing";
const REPLACED = 'old.object is not null and new.object is distinct from old.object';

const sqliteTrigger = (name: string, event: string, condition: string) =>
  `create trigger ${name} ${event} when ${condition} begin ${QUEUE}; end`;

const postgresTrigger = (name: string, event: string, condition: string) =>
  `create trigger ${name} ${event} for each row when (${condition}) execute function queue_object_removal()`;
