import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * Earlier versions of documents. They have tables of their own, so that queries for current content need not skip them:
 * a chunk that no current document contains any longer moves to `past_chunks` with its vectors and terms; one that
 * several versions share is stored once.
 */
export const versions: Migration = {
  async up(database: Kysely<Tables>) {
    await createVersions(database);
    await createPastChunks(database);
    await createKeptChunks(database);
    await extendPresent(database);
    await createTriggers(database);
  },
};

async function createVersions({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('document_versions')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('document_key', 'integer', (column) => column.notNull().references('documents.key').onDelete('cascade'))
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('valid_from', 'text', (column) => column.notNull())
    .addColumn('valid_to', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('source', 'text')
    .addColumn('file_name', 'text', (column) => column.notNull())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('size_in_bytes', 'integer', (column) => column.notNull())
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('summary', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('total_tokens', 'integer', (column) => column.notNull())
    .addColumn('text_length', 'integer', (column) => column.notNull())
    .addColumn('chunk_count', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('retired_at', 'text')
    .addColumn('receipt', 'text')
    .execute();
  await schema
    .createIndex('document_versions_by_document')
    .unique()
    .on('document_versions')
    .columns(['document_key', 'version'])
    .execute();
  await schema.createIndex('document_versions_by_end').on('document_versions').columns(['valid_to']).execute();
  for (const [table, content] of [
    ['version_files', 'bytes'],
    ['version_texts', 'text'],
  ] as const) {
    const made = schema
      .createTable(table)
      .addColumn('version_key', 'integer', (column) =>
        column.primaryKey().references('document_versions.key').onDelete('cascade'),
      )
      .addColumn(content, content === 'bytes' ? 'blob' : 'text', (column) => column.notNull());
    await (content === 'text' ? made.addColumn('pages', 'text', (column) => column.notNull()) : made).execute();
  }
  await schema
    .createTable('version_chunks')
    .addColumn('version_key', 'integer', (column) =>
      column.notNull().references('document_versions.key').onDelete('cascade'),
    )
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    // Refers to `chunks` while the chunk is visible, and to `past_chunks` from then on.
    .addColumn('chunk_key', 'integer', (column) => column.notNull())
    .addColumn('start_offset', 'integer', (column) => column.notNull())
    .addColumn('end_offset', 'integer', (column) => column.notNull())
    .addColumn('page', 'integer')
    .addPrimaryKeyConstraint('version_chunks_key', ['version_key', 'ordinal'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await schema.createIndex('version_chunks_by_chunk').on('version_chunks').columns(['chunk_key']).execute();
}

async function createPastChunks(database: Kysely<Tables>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('past_chunks')
    .addColumn('key', 'integer', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('document_key', 'integer', (column) => column.notNull().references('documents.key').onDelete('cascade'))
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('heading_path', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('embedding_hash', 'text')
    .execute();
  await schema.createIndex('past_chunks_by_document').on('past_chunks').columns(['document_key']).execute();
  await schema.createIndex('past_chunks_by_id').on('past_chunks').columns(['id']).execute();
  await schema
    .createTable('past_chunk_vectors')
    .addColumn('space_key', 'integer', (column) => column.notNull().references('vector_spaces.key').onDelete('cascade'))
    .addColumn('chunk_key', 'integer', (column) => column.notNull().references('past_chunks.key').onDelete('cascade'))
    .addColumn('vector', 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('past_chunk_vectors_key', ['space_key', 'chunk_key'])
    .execute();
  await schema.createIndex('past_chunk_vectors_by_chunk').on('past_chunk_vectors').columns(['chunk_key']).execute();
  // Counterparts of the current full-text tables, by the keys of `past_chunks` and of `document_versions`.
  for (const table of ['past_chunk_terms', 'version_terms']) {
    await sql`
      create virtual table ${sql.table(table)} using fts5(
        title, body, content = '', contentless_delete = 1,
        tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
      )`.execute(database);
  }
}

/** Chunks that remain in a document when its staged content is published, with their new positions. */
async function createKeptChunks({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('kept_chunks')
    .addColumn('document_key', 'integer', (column) => column.notNull().references('documents.key').onDelete('cascade'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('chunk_key', 'integer', (column) => column.notNull().references('chunks.key').onDelete('cascade'))
    .addColumn('start_offset', 'integer', (column) => column.notNull())
    .addColumn('end_offset', 'integer', (column) => column.notNull())
    .addColumn('page', 'integer')
    .addPrimaryKeyConstraint('kept_chunks_key', ['document_key', 'ordinal'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await schema.createIndex('kept_chunks_by_chunk').unique().on('kept_chunks').columns(['chunk_key']).execute();
}

async function extendPresent(database: Kysely<Tables>): Promise<void> {
  const { schema } = database;
  await schema.alterTable('chunks').addColumn('embedding_hash', 'text').execute();
  await schema.alterTable('documents').addColumn('published_at', 'text').execute();
  // The publication time of existing documents is unknown; `updated_at` is an upper bound.
  await sql`update documents set published_at = updated_at where generation > 0`.execute(database);
  // The originals of the visible content, after its replacement has overwritten them in the document's row.
  await schema
    .createTable('visible_originals')
    .addColumn('document_key', 'integer', (column) =>
      column.primaryKey().references('documents.key').onDelete('cascade'),
    )
    .addColumn('bytes', 'blob', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .execute();
}

/**
 * Triggers copy a chunk that a version still contains before it is removed or edited, so that other code need not
 * handle versions.
 */
async function createTriggers(database: Kysely<Tables>): Promise<void> {
  const titleOfVersion = sql`
    (select v.title from version_chunks m join document_versions v on v.key = m.version_key
     where m.chunk_key = old.key limit 1)`;
  const moveToPast = (key: ReturnType<typeof sql>) => sql`
    insert into past_chunks (key, id, document_key, text, heading_path, metadata, embedding_hash)
      values (${key}, old.id, old.document_key, old.text, old.heading_path, old.metadata, old.embedding_hash);
    insert into past_chunk_vectors (space_key, chunk_key, vector)
      select space_key, ${key}, vector from chunk_vectors where chunk_key = old.key;
    insert into past_chunk_terms (rowid, title, body)
      select ${key}, terms ->> 'title', terms ->> 'body'
      from (select index_terms(${titleOfVersion}, old.heading_path, old.text) as terms);`;
  const isOfVersion = sql`exists (select 1 from version_chunks where chunk_key = old.key)`;
  await sql`
    create trigger chunks_removed before delete on chunks when ${isOfVersion} begin
      ${moveToPast(sql`old.key`)}
    end`.execute(database);
  // The edited chunk keeps its key; the copy of its old state gets a new, unique one.
  const another = sql`(select seq from sqlite_sequence where name = 'chunks')`;
  await sql`
    create trigger chunks_edited before update of text, heading_path, metadata on chunks
    when ${isOfVersion} and (old.text <> new.text or old.heading_path <> new.heading_path or old.metadata <> new.metadata)
    begin
      update sqlite_sequence set seq = seq + 1 where name = 'chunks';
      ${moveToPast(another)}
      update version_chunks set chunk_key = ${another} where chunk_key = old.key;
    end`.execute(database);
  await sql`
    create trigger past_chunks_removed after delete on past_chunks begin
      delete from past_chunk_terms where rowid = old.key;
    end`.execute(database);
  await sql`
    create trigger document_versions_removed after delete on document_versions begin
      delete from version_terms where rowid = old.key;
    end`.execute(database);
}
