import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Artefacts of embedders trained on the corpus; their spaces are useless without them. */
export const embedders: Migration = {
  async up({ schema }: Kysely<Tables>) {
    await schema
      .createTable('learned_embedders')
      .addColumn('embedder', 'text', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('artefact', 'blob', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('learned_embedders_key', ['embedder', 'version'])
      .execute();
  },
};
