import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** All tables but the full-text indexes. */
export const records: Migration = {
  async up(database: Kysely<Tables>) {
    await createDocuments(database);
    await createCollections(database);
    await createChunks(database);
    await createVectors(database);
    await createConversations(database);
    await database.schema
      .createTable('settings')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
    // Distinguishes the collections of two data folders that use one Chroma.
    await database.insertInto('settings').values({ name: 'corpus_id', value: randomUUID() }).execute();
  },
};

async function createDocuments({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('documents')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('source', 'text')
    .addColumn('file_name', 'text', (column) => column.notNull())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('size_in_bytes', 'integer', (column) => column.notNull())
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('ingestion_status', 'text', (column) => column.notNull())
    .addColumn('extraction_status', 'text', (column) => column.notNull())
    .addColumn('failure', 'text')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('summary', 'text')
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('submitted', 'text')
    .addColumn('total_tokens', 'integer', (column) => column.notNull())
    .addColumn('text_length', 'integer', (column) => column.notNull())
    .addColumn('chunk_count', 'integer', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('documents_by_creation').on('documents').columns(['created_at', 'key']).execute();
  await schema.createIndex('documents_by_owner').on('documents').columns(['owner_id', 'created_at']).execute();
  await schema.createIndex('documents_by_status').on('documents').columns(['ingestion_status']).execute();
  await schema.createIndex('documents_by_content').on('documents').columns(['content_hash', 'owner_id']).execute();
  await schema.createIndex('documents_by_source').on('documents').columns(['source']).execute();

  await schema
    .createTable('document_files')
    .addColumn('document_key', 'integer', (column) =>
      column.primaryKey().references('documents.key').onDelete('cascade'),
    )
    .addColumn('bytes', 'blob', (column) => column.notNull())
    .execute();
  await schema
    .createTable('document_texts')
    .addColumn('document_key', 'integer', (column) =>
      column.primaryKey().references('documents.key').onDelete('cascade'),
    )
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('pages', 'text', (column) => column.notNull())
    .execute();
}

async function createCollections({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('collections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('collections_by_name').on('collections').columns(['owner_id', 'name']).execute();
  // No foreign key to collections: a document may name a collection that is created later, and outlives one that is
  // deleted.
  await schema
    .createTable('document_collections')
    .addColumn('document_key', 'integer', (column) => column.notNull().references('documents.key').onDelete('cascade'))
    .addColumn('collection_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('document_collections_key', ['document_key', 'collection_id'])
    .modifyEnd(sql`without rowid`)
    .execute();
  await schema
    .createIndex('document_collections_by_collection')
    .on('document_collections')
    .columns(['collection_id', 'document_key'])
    .execute();
}

async function createChunks({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('chunks')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('document_key', 'integer', (column) => column.notNull().references('documents.key').onDelete('cascade'))
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('start_offset', 'integer', (column) => column.notNull())
    .addColumn('end_offset', 'integer', (column) => column.notNull())
    .addColumn('page', 'integer')
    .addColumn('heading_path', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('chunks_by_document')
    .unique()
    .on('chunks')
    .columns(['document_key', 'generation', 'ordinal'])
    .execute();
  // Few chunks have metadata of their own; this partial index lets filters find them without reading the others.
  await schema
    .createIndex('chunks_with_own_metadata')
    .on('chunks')
    .columns(['document_key', 'generation'])
    .where(sql.ref('metadata'), '<>', sql.lit('{}'))
    .execute();
}

async function createVectors({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('vector_spaces')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('embedder', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('dimensions', 'integer', (column) => column.notNull())
    .addColumn('collection', 'text', (column) => column.notNull().unique())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('one_current_vector_space')
    .unique()
    .on('vector_spaces')
    .columns(['state'])
    .where(sql.ref('state'), '=', sql.lit('current'))
    .execute();
  await schema
    .createTable('chunk_vectors')
    .addColumn('space_key', 'integer', (column) => column.notNull().references('vector_spaces.key').onDelete('cascade'))
    .addColumn('chunk_key', 'integer', (column) => column.notNull().references('chunks.key').onDelete('cascade'))
    .addColumn('vector', 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('chunk_vectors_key', ['space_key', 'chunk_key'])
    .execute();
  await schema.createIndex('chunk_vectors_by_chunk').on('chunk_vectors').columns(['chunk_key']).execute();
  await schema
    .createTable('outbox')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('space_key', 'integer', (column) => column.references('vector_spaces.key').onDelete('cascade'))
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('outbox_by_space').on('outbox').columns(['space_key']).execute();
}

async function createConversations({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable('conversations')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('conversations_by_user').on('conversations').columns(['user_id', 'key']).execute();
  await schema
    .createTable('messages')
    .addColumn('key', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('conversation_id', 'text', (column) =>
      column.notNull().references('conversations.id').onDelete('cascade'),
    )
    .addColumn('parent_id', 'text')
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('messages_by_conversation').on('messages').columns(['conversation_id', 'key']).execute();
}
