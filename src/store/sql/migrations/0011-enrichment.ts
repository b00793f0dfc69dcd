import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/**
 * Texts that models write about documents: summaries, with their author and pending state; contexts of chunks
 * (contextual retrieval). And vectors of document descriptions.
 */
export const enrichment: Migration = {
  async up(database: Kysely<Tables>) {
    await extendDocuments(database);
    await addContexts(database);
    await createDescriptionVectors(database);
  },
};

async function extendDocuments({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable('documents')
    .addColumn('summary_status', 'text', (column) => column.notNull().defaultTo('none'))
    .execute();
  await schema.alterTable('documents').addColumn('summary_by', 'text').execute();
  await schema.alterTable('documents').addColumn('summary_note', 'text').execute();
  await schema.alterTable('document_versions').addColumn('summary_by', 'text').execute();
  await schema
    .createIndex('documents_by_summary')
    .on('documents')
    .columns(['summary_status', 'key'])
    .where(sql.ref('summary_status'), 'in', sql`('pending', 'processing')`)
    .execute();
}

async function addContexts(database: Kysely<Tables>): Promise<void> {
  const { schema } = database;
  await schema.alterTable('chunks').addColumn('context', 'text').execute();
  await schema.alterTable('past_chunks').addColumn('context', 'text').execute();
  await schema
    .createTable('chunk_contexts')
    .addColumn('document_key', 'integer', (column) => column.notNull().references('documents.key').onDelete('cascade'))
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('context', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('chunk_contexts_key', ['document_key', 'hash'])
    .modifyEnd(sql`without rowid`)
    .execute();
  // Recreates the triggers of the versions migration so that they also copy the context.
  await sql`drop trigger chunks_removed`.execute(database);
  await sql`drop trigger chunks_edited`.execute(database);
  const titleOfVersion = sql`
    (select v.title from version_chunks m join document_versions v on v.key = m.version_key
     where m.chunk_key = old.key limit 1)`;
  const moveToPast = (key: ReturnType<typeof sql>) => sql`
    insert into past_chunks (key, id, document_key, text, heading_path, metadata, embedding_hash, context)
      values (${key}, old.id, old.document_key, old.text, old.heading_path, old.metadata, old.embedding_hash,
        old.context);
    insert into past_chunk_vectors (space_key, chunk_key, vector)
      select space_key, ${key}, vector from chunk_vectors where chunk_key = old.key;
    insert into past_chunk_terms (rowid, title, body)
      select ${key}, terms ->> 'title', terms ->> 'body'
      from (select index_terms(${titleOfVersion}, old.heading_path,
        coalesce(old.context || char(10), '') || old.text) as terms);`;
  const isOfVersion = sql`exists (select 1 from version_chunks where chunk_key = old.key)`;
  await sql`
    create trigger chunks_removed before delete on chunks when ${isOfVersion} begin
      ${moveToPast(sql`old.key`)}
    end`.execute(database);
  const another = sql`(select seq from sqlite_sequence where name = 'chunks')`;
  await sql`
    create trigger chunks_edited before update of text, heading_path, metadata, context on chunks
    when ${isOfVersion} and (old.text <> new.text or old.heading_path <> new.heading_path
      or old.metadata <> new.metadata or old.context is not new.context)
    begin
      update sqlite_sequence set seq = seq + 1 where name = 'chunks';
      ${moveToPast(another)}
      update version_chunks set chunk_key = ${another} where chunk_key = old.key;
    end`.execute(database);
}

async function createDescriptionVectors(database: Kysely<Tables>): Promise<void> {
  for (const [table, owner] of [
    ['document_vectors', 'documents'],
    ['version_vectors', 'document_versions'],
  ] as const) {
    await database.schema
      .createTable(table)
      .addColumn('space_key', 'integer', (column) =>
        column.notNull().references('vector_spaces.key').onDelete('cascade'),
      )
      .addColumn('described_key', 'integer', (column) =>
        column.notNull().references(`${owner}.key`).onDelete('cascade'),
      )
      .addColumn('vector', 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${table}_key`, ['space_key', 'described_key'])
      .execute();
    await database.schema.createIndex(`${table}_by_owner`).on(table).columns(['described_key']).execute();
  }
  // A vector belongs to one title and summary, and is deleted when they change.
  await sql`
    create trigger documents_described after update of title, summary on documents
    when old.title <> new.title or old.summary is not new.summary begin
      delete from document_vectors where described_key = new.key;
    end`.execute(database);
  // Recording a version also keeps its description.
  await sql`
    create trigger document_versions_described after insert on document_versions when new.retired_at is null begin
      insert into version_vectors (space_key, described_key, vector)
        select space_key, new.key, vector from document_vectors where described_key = new.document_key;
    end`.execute(database);
  await sql`
    create trigger document_versions_retired after update of retired_at on document_versions
    when new.retired_at is not null begin
      delete from version_vectors where described_key = new.key;
    end`.execute(database);
}
