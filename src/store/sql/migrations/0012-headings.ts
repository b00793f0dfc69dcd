import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Start offsets of a text's sections, so that a quote can be attributed to its own section rather than its chunk's. */
export const headings: Migration = {
  async up({ schema }: Kysely<Tables>) {
    for (const table of ['document_texts', 'version_texts'] as const) {
      await schema
        .alterTable(table)
        .addColumn('headings', 'text', (column) => column.notNull().defaultTo('[]'))
        .execute();
    }
  },
};
