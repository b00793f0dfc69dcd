import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * FTS5 over the analyser's terms, separated by spaces: the categories make FTS5's tokenizer split at spaces only.
 * Contentless: the texts are in `chunks` and `documents`; `rowid` is their key.
 */
export const sqliteFullText: Migration = {
  async up(database: Kysely<Tables>) {
    for (const table of ['chunk_terms', 'document_terms']) {
      await sql`
        create virtual table ${sql.table(table)} using fts5(
          title, body, content = '', contentless_delete = 1,
          tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
        )`.execute(database);
    }
  },
};
