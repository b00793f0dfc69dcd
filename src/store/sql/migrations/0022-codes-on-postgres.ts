import { sql } from 'kysely';
import { dialectOf } from '../sql-dialect.ts';
import type { SharedStep } from './shared-steps.ts';

/**
 * Codes of vectors on PostgreSQL, as SQLite has had them since step 18. Servers add codes to the vectors they write,
 * and later to vectors without codes, such as those that servers of the previous version wrote (`add-codes.ts`).
 */
export const codesOnPostgres: SharedStep = {
  worksFrom: 21,
  async up(database, types) {
    if (dialectOf(database).name === 'sqlite') return;
    await database.schema
      .createTable('vector_codes')
      .addColumn('key', types.key, types.asKey)
      .addColumn('space_key', types.key, (column) => column.notNull())
      .addColumn('chunk_key', types.key, (column) => column.notNull())
      .addColumn('code', types.bytes, (column) => column.notNull())
      .addForeignKeyConstraint(
        'vector_codes_vector',
        ['space_key', 'chunk_key'],
        'chunk_vectors',
        ['space_key', 'chunk_key'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    await database.schema
      .createIndex('vector_codes_by_vector')
      .on('vector_codes')
      .columns(['space_key', 'chunk_key'])
      .unique()
      .execute();
    // Codes are short and read as a whole: compressing them costs more than it saves.
    await sql`alter table vector_codes alter column code set storage plain`.execute(database);
  },
};
