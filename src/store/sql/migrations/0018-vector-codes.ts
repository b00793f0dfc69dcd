import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * A short code of each vector, by which a search selects candidates while the vector index is unavailable. `key` rises
 * with every insertion, so that a reader can read only what was added since its last read.
 */
export const vectorCodes: Migration = {
  async up(database: Kysely<Tables>) {
    await database.schema
      .createTable('vector_codes')
      .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('space_key', 'integer', (column) => column.notNull())
      .addColumn('chunk_key', 'integer', (column) => column.notNull())
      .addColumn('code', 'blob', (column) => column.notNull())
      .addForeignKeyConstraint(
        'vector_codes_vector',
        ['space_key', 'chunk_key'],
        'chunk_vectors',
        ['space_key', 'chunk_key'],
        (constraint) => constraint.onDelete('cascade'),
      )
      .execute();
    await sql`
      insert into vector_codes (space_key, chunk_key, code)
      select space_key, chunk_key, vector_code(vector) from chunk_vectors order by rowid`.execute(database);
    // Created after the rows are inserted, which is faster.
    await database.schema
      .createIndex('vector_codes_by_vector')
      .on('vector_codes')
      .columns(['space_key', 'chunk_key'])
      .unique()
      .execute();
    // `vector_code` is registered by the writing connection.
    await sql`
      create trigger vector_codes_added after insert on chunk_vectors begin
        insert into vector_codes (space_key, chunk_key, code)
        values (new.space_key, new.chunk_key, vector_code(new.vector));
      end`.execute(database);
  },
};
