import { sql } from 'kysely';
import type { Document, Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import type { NamedCollection } from '../../corpus.ts';
import { insertCollection } from '../collections/insert-collection.ts';
import { confirmObjects } from '../originals/object-notes.ts';
import { addTask } from '../queue/task-rows.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { type DocumentRow, findRow, type Submitted, toColumns } from './document-rows.ts';
import { addToCollections, isSettled, requireRow, setCollections, toOne, update } from './ingestions.ts';
import { dropStaged } from './staged-chunks.ts';

/** A submission and its file: either `bytes`, or the name of an `object` that was recorded before it was stored. */
export interface IngestionToBegin {
  readonly id: string;
  readonly ownerId: string;
  readonly settings: Metadata;
  readonly submitted: Submitted;
  readonly newCollections?: readonly NamedCollection[] | undefined;
  readonly bytes: Uint8Array;
  readonly object: string | null;
  readonly replace: boolean;
  readonly queued: boolean;
  readonly isAwaited?: boolean;
}

/** Writes the record of a submission, its task, and the collections that it creates. */
export async function beginIngestion(database: Queries, ingestion: IngestionToBegin): Promise<Document> {
  const { ownerId, newCollections = [] } = ingestion;
  for (const { id, name } of newCollections) await insertCollection(database, { id, name, ownerId });
  const existing = await findRow(database, ingestion.id);
  const row =
    existing === undefined ? await insertDocument(database, ingestion) : await takeOver(database, existing, ingestion);
  if (ingestion.object !== null) await confirmObjects(database, [ingestion.object]);
  const { key, attempt } = row;
  await addTask(database, { documentKey: key, attempt, isHeld: !ingestion.queued, priority: 0 });
  return toOne(database, row);
}

async function insertDocument(database: Queries, ingestion: IngestionToBegin): Promise<DocumentRow> {
  const { id, ownerId, settings, submitted, bytes, object } = ingestion;
  const now = new Date().toISOString();
  const row = await database
    .insertInto('documents')
    .values({
      ...toColumns(submitted),
      id: id.toLowerCase(),
      owner_id: ownerId,
      version: 'v0',
      ingestion_status: 'pending',
      extraction_status: 'pending',
      attempt: 1,
      settings: JSON.stringify(settings),
      total_tokens: 0,
      text_length: 0,
      chunk_count: 0,
      generation: 0,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await addToCollections(database, row.key, submitted.collectionIds);
  await database.insertInto('document_files').values({ document_key: row.key, bytes, object }).execute();
  return row;
}

async function takeOver(database: Queries, row: DocumentRow, ingestion: IngestionToBegin): Promise<DocumentRow> {
  const { ownerId, settings, submitted, bytes, object, replace } = ingestion;
  if (row.owner_id !== ownerId || (row.ingestion_status !== 'failed' && !replace)) {
    const state = isSettled(row) ? 'exists already' : `is being ingested (${row.ingestion_status})`;
    throw new ServiceError('conflict', `Document ${row.id} ${state}. Delete it first, or submit under another id.`);
  }
  await dropStaged(database, row);
  // The visible content keeps its own title and metadata until its replacement is published.
  const description =
    row.generation === 0 ? { ...toColumns(submitted), submitted: null } : { submitted: JSON.stringify(submitted) };
  if (row.generation === 0) await setCollections(database, row.key, submitted.collectionIds);
  else await keepOriginal(database, row.key);
  await update(database, row.key, {
    ...description,
    ingestion_status: 'pending',
    failure: null,
    attempt: row.attempt + 1,
    settings: JSON.stringify(settings),
  });
  await database.updateTable('document_files').set({ bytes, object }).where('document_key', '=', row.key).execute();
  return requireRow(database, row.id);
}

/** Saves the original file of the visible content for a later version record, before the new file replaces it. */
async function keepOriginal(database: Queries, key: number): Promise<void> {
  await sql`
    insert into visible_originals (document_key, bytes, object, settings)
    select d.key, f.bytes, f.object, d.settings from documents d join document_files f on f.document_key = d.key
    where d.key = ${key}
    on conflict do nothing`.execute(database);
}
