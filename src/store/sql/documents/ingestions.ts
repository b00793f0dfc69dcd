import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import {
  type Document,
  type IngestionStatus,
  ingestionStatuses,
  isIngestionOver,
  type Metadata,
} from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import type { Corpus, NewDocument } from '../../corpus.ts';
import { type Attempt, AttemptTakenOver } from '../../taken-over.ts';
import type { Database, Work } from '../database.ts';
import { addPendingScopes } from '../index-sync/chunk-scopes.ts';
import type { OriginalRecords } from '../originals/original-records.ts';
import { updateTaskStatus } from '../queue/task-rows.ts';
import type { EmbeddingText } from '../vector-spaces/fill-space.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { keepChunks } from '../versions/kept-chunks.ts';
import { type DocumentRow, findRow, readSubmitted, type Submitted, settingsIn, toDocuments } from './document-rows.ts';

/** The operations of a corpus that take a document from `pending` until it is ready to be published. */
export type Ingestions = Pick<
  Corpus,
  'begin' | 'begun' | 'setStatus' | 'stage' | 'keep' | 'fail' | 'unfinished' | 'settingsOf'
>;

const SETTLED = ingestionStatuses.filter(isIngestionOver);

export const isSettled = (row: DocumentRow): boolean => isIngestionOver(row.ingestion_status as IngestionStatus);

export interface IngestionParts {
  readonly sqlite: Database;
  readonly embeddingText: EmbeddingText;
  readonly originals: OriginalRecords;
  /** Called when index writes may be pending. */
  readonly onPending: () => void;
}

export function createIngestions({ sqlite, embeddingText, originals, onPending }: IngestionParts): Ingestions {
  const { reader, writer, transact } = sqlite;
  return {
    begin: (document, { replace = false, queued = false, isAwaited = false } = {}) =>
      originals.store(document.bytes, ({ bytes, object }) => {
        const submitted = toSubmitted(document);
        const { id, ownerId, settings, newCollections } = document;
        const how = { replace, queued, isAwaited };
        return transact('begin', { id, ownerId, settings, submitted, newCollections, bytes, object, ...how });
      }),

    setStatus: (id, status, attempt) => transact('setStatus', { id, status, attempt }),

    async stage(id, chunks, { embeddedIn, attempt, status } = {}) {
      if (chunks.length === 0 && status === undefined) return;
      await transact('stage', { id, chunks, embeddedIn, attempt, status });
    },

    async keep(id, { title, chunks }, { attempt, status } = {}) {
      // Keeping chunks needs `embeddingText`, a function that cannot be sent to the thread of the database.
      if (await transact('keepNone', { id, title, attempt, status })) return new Set();
      return writer.transaction().execute(async (transaction) => {
        const document = await requireIngested(transaction, id, attempt);
        if (status !== undefined) await update(transaction, document.key, { ingestion_status: status, failure: null });
        return keepChunks(transaction, { document, title, chunks, embeddingText });
      });
    },

    async fail(id, failure, attempt) {
      await transact('fail', { id, failure, attempt });
      onPending();
    },

    async unfinished() {
      const rows = await reader
        .selectFrom('documents')
        .selectAll()
        .where('ingestion_status', 'not in', SETTLED)
        .orderBy('updated_at')
        .orderBy('key')
        .execute();
      return toDocuments(reader, rows);
    },

    async settingsOf(id) {
      return settingsIn(await requireRow(reader, id));
    },

    async begun(id) {
      const row = await requireRow(reader, id);
      return { document: await toOne(reader, row), settings: settingsIn(row) };
    },
  };
}

/**
 * The row of a document that is being ingested, checked against `attempt` if given. Throws `not_found` or `conflict`.
 */
export async function requireIngested(database: Queries, id: string, attempt?: Attempt): Promise<DocumentRow> {
  const row = await requireRow(database, id, attempt);
  if (!isSettled(row)) return row;
  throw new ServiceError('conflict', `Document ${id} is not being ingested; begin an ingestion first.`);
}

/** Whether the attempt with this token still has its claim on the document. Tokens exist only in shared databases. */
export async function isHeld(
  database: Queries,
  work: Work,
  { key, token }: { readonly key: number; readonly token: number },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from cluster_claims where kind = ${work} and document_key = ${key} and token = ${token}`.execute(database);
  return rows.length > 0;
}

/**
 * The row of an existing document, verified to be at this attempt if one is given. Throws `not_found` or `conflict`.
 */
export async function requireRow(database: Queries, id: string, given?: Attempt): Promise<DocumentRow> {
  const { attempt, token } = typeof given === 'object' ? given : { attempt: given };
  const { row, isHeld = true } =
    token === undefined ? { row: await findRow(database, id) } : await findHeldRow(database, id, token);
  if (row === undefined) throw new ServiceError('not_found', `There is no document ${id}.`);
  if (attempt === undefined) return row;
  if (attempt === row.attempt) {
    if (!isHeld) throw new AttemptTakenOver(id);
    return row;
  }
  throw new ServiceError('conflict', `Document ${id} was submitted again while it was being ingested.`);
}

async function findHeldRow(
  database: Queries,
  id: string,
  token: number,
): Promise<{ readonly row?: DocumentRow; readonly isHeld?: boolean }> {
  const found = await database
    .selectFrom('documents as d')
    .selectAll()
    .select(
      sql<number>`exists (
        select 1 from cluster_claims where kind = 'ingestion' and document_key = d.key and token = ${token})`.as(
        'held',
      ),
    )
    .where('d.id', '=', id.toLowerCase())
    .executeTakeFirst();
  if (found === undefined) return {};
  const { held, ...row } = found;
  return { row, isHeld: held === 1 };
}

export const readOne = async (database: Queries, id: string): Promise<Document> =>
  toOne(database, await requireRow(database, id));

export async function toOne(database: Queries, row: DocumentRow): Promise<Document> {
  const [document] = await toDocuments(database, [row]);
  if (document === undefined) throw new ServiceError('not_found', `There is no document ${row.id}.`);
  return document;
}

function toSubmitted(document: NewDocument): Submitted {
  return {
    type: document.type,
    title: document.title,
    metadata: document.metadata,
    source: document.source,
    fileName: document.fileName,
    mediaType: document.mediaType,
    sizeInBytes: document.bytes.byteLength,
    contentHash: document.contentHash ?? createHash('sha256').update(document.bytes).digest('hex'),
    collectionIds: [...new Set(document.collectionIds.map((id) => id.toLowerCase()))],
  };
}

/** Sets the collections of the document. */
export async function setCollections(database: Queries, key: number, ids: readonly string[]): Promise<void> {
  // Memberships that remain are not rewritten: deleting one would remove the document's share of that collection's
  // graph.
  let left = database.deleteFrom('document_collections').where('document_key', '=', key);
  if (ids.length > 0) left = left.where('collection_id', 'not in', ids);
  await left.execute();
  await addToCollections(database, key, ids);
  await addPendingScopes(database, [key]);
}

export async function addToCollections(database: Queries, key: number, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await database
    .insertInto('document_collections')
    .values(ids.map((collection_id) => ({ document_key: key, collection_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Changes columns of a document and its `updated_at`; the task of its ingestion follows a new status. */
export async function update(database: Queries, key: number, change: Partial<Omit<DocumentRow, 'key'>>): Promise<void> {
  await database
    .updateTable('documents')
    .set({ ...change, updated_at: new Date().toISOString() })
    .where('key', '=', key)
    .execute();
  const { ingestion_status: status, failure = null } = change;
  if (status !== undefined) await updateTaskStatus(database, key, { status, reason: failure });
}

/** The description that the document has once published: that of its pending submission if any, or its own. */
export function descriptionOf(row: DocumentRow): Pick<Submitted, 'title' | 'type' | 'metadata'> {
  return readSubmitted(row) ?? { title: row.title, type: row.type, metadata: JSON.parse(row.metadata) as Metadata };
}
