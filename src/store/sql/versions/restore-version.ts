import { sql } from 'kysely';
import type { Document, Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import { type DocumentRow, type Submitted, toDocuments } from '../documents/document-rows.ts';
import { isSettled, readOne, requireRow } from '../documents/ingestions.ts';
import type { PublishParts } from '../documents/publish-document.ts';
import { replaceVisible } from '../documents/replace-visible.ts';
import { dropStaged } from '../documents/staged-chunks.ts';
import { addPending } from '../index-sync/outbox-entries.ts';
import { dialectOf } from '../sql-dialect.ts';
import { allSpaces, describeSpace, type Queries } from '../vector-spaces/space-rows.ts';
import { noVersion, type RowAsOf, rowAsOf } from './row-as-of.ts';
import { originalAsOf, textAsOf } from './version-content.ts';

/**
 * Publishes a document again in the state of a version, as a new version. Chunks that are still visible are reused;
 * those in `past_chunks` come back with their vectors under new keys. Their index writes are added to the outbox, and
 * until these are applied the vectors are compared exactly.
 */
export async function restoreVersion(
  { sqlite, upkeep, versionsKept }: PublishParts,
  id: string,
  version: string,
): Promise<Document> {
  const document = await sqlite.writer.transaction().execute(async (transaction) => {
    const row = await requireRow(transaction, id);
    if (!isSettled(row)) {
      throw new ServiceError('conflict', `Document ${id} is being ingested; restore it when that is done.`);
    }
    const then = await rowAsOf(transaction, id, { version });
    if (then === undefined) throw noVersion(id, version);
    if (then.version_key === 0) throw new ServiceError('conflict', `Document ${id} is already version "${version}".`);
    const text = (await textAsOf(transaction, then)) ?? { text: '', pages: [] };
    const original = await originalAsOf(transaction, then, 'all');
    await dropStaged(transaction, row);
    await keepShared(transaction, row, then);
    await restoreContent(transaction, row, then);
    const submitted = JSON.stringify(await asSubmission(transaction, then));
    const publication = { ...text, summary: then.summary, summaryBy: then.summary_by, totalTokens: then.total_tokens };
    const replacement = { publication, chunkCount: then.chunk_count, versionsKept };
    await replaceVisible(transaction, { ...row, submitted }, replacement);
    const { settings } = then;
    await transaction.updateTable('documents').set({ settings }).where('key', '=', row.key).execute();
    if (original?.bytes) {
      const { bytes, object } = original;
      await transaction
        .updateTable('document_files')
        .set({ bytes, object })
        .where('document_key', '=', row.key)
        .execute();
    }
    return readOne(transaction, id);
  });
  upkeep.wakeUp();
  return document;
}

/** The version's fields as if it were submitted again; owner and collections stay the current ones. */
async function asSubmission(database: Queries, then: RowAsOf): Promise<Submitted> {
  const [document] = await toDocuments(database, [then]);
  return {
    type: then.type,
    title: then.title,
    metadata: JSON.parse(then.metadata) as Metadata,
    source: then.source,
    fileName: then.file_name,
    mediaType: then.media_type,
    sizeInBytes: then.size_in_bytes,
    contentHash: then.content_hash,
    collectionIds: document?.collectionIds ?? [],
  };
}

async function keepShared(database: Queries, { key, generation }: DocumentRow, then: RowAsOf): Promise<void> {
  await sql`
    insert into kept_chunks (document_key, ordinal, chunk_key, start_offset, end_offset, page)
    select ${key}, m.ordinal, m.chunk_key, m.start_offset, m.end_offset, m.page
    from version_chunks m join chunks c on c.key = m.chunk_key and c.generation = ${generation}
    where m.version_key = ${then.version_key}`.execute(database);
}

async function restoreContent(database: Queries, row: DocumentRow, then: RowAsOf): Promise<void> {
  const generation = row.generation + 1;
  const { rows: table, randomId } = dialectOf(database);
  // The id is free unless the chunk was edited after this version: the edited chunk still has it.
  const freeId = sql`case when exists (select 1 from chunks where id = p.id) then ${randomId} else p.id end`;
  await sql`
    insert into chunks (id, document_key, generation, ordinal, text, start_offset, end_offset, page, heading_path,
      metadata, embedding_hash, context)
    select ${freeId}, ${row.key}, ${generation}, m.ordinal, p.text, m.start_offset, m.end_offset, m.page,
      p.heading_path, p.metadata, p.embedding_hash, p.context
    from version_chunks m join past_chunks p on p.key = m.chunk_key
    where m.version_key = ${then.version_key}`.execute(database);
  const { rows } = await sql<{ old: number; new: number }>`
    select m.chunk_key as old, c.key as new
    from version_chunks m join past_chunks p on p.key = m.chunk_key
    join chunks c on c.document_key = ${row.key} and c.generation = ${generation} and c.ordinal = m.ordinal
    where m.version_key = ${then.version_key}`.execute(database);
  if (rows.length === 0) return;
  const moved = table({ old: 'integer', new: 'integer' }, rows);
  await sql`
    insert into chunk_vectors (space_key, chunk_key, vector)
    select v.space_key, j.new, v.vector from ${moved} as j join past_chunk_vectors v on v.chunk_key = j.old`.execute(
    database,
  );
  await addPendingVectors(
    database,
    rows.map((pair) => pair.new),
  );
  // From now on every version that contained them refers to the visible chunks.
  await sql`
    update version_chunks set chunk_key = j.new from ${moved} as j where chunk_key = j.old`.execute(database);
  await sql`
    delete from past_chunks where key in (select j.old from ${moved} as j)`.execute(database);
}

async function addPendingVectors(database: Queries, keys: readonly number[]): Promise<void> {
  const wanted = dialectOf(database).numbers(keys);
  for (const space of await allSpaces(database)) {
    const { rows } = await sql<{ key: number }>`
      select chunk_key as key from chunk_vectors where space_key = ${space.key} and chunk_key in ${wanted}`.execute(
      database,
    );
    if (space.state === 'current' && rows.length < keys.length) {
      throw new ServiceError(
        'embedding_mismatch',
        `${keys.length - rows.length} passages of this version were not embedded with ${describeSpace(space)}. ` +
          'Run "citewell reindex", or ingest the version\'s file again.',
      );
    }
    await addPending(
      database,
      'upsert',
      space.key,
      rows.map(({ key }) => key),
    );
  }
}
