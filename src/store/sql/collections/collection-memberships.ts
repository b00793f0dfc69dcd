import { ServiceError } from '../../../errors.ts';
import type { CollectionRecords } from '../../records.ts';
import type { Database } from '../database.ts';
import { readSubmitted } from '../documents/document-rows.ts';
import { mergeDocumentGraph } from '../graph/merge-document-graph.ts';
import { addPendingScopes } from '../index-sync/chunk-scopes.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { addMember } from './insert-collection.ts';

type Memberships = Pick<
  CollectionRecords,
  'addDocuments' | 'removeDocuments' | 'members' | 'addMember' | 'removeMember' | 'idsOfMember'
>;

/** Documents and members of collections. */
export function createMemberships({ reader, writer }: Database): Memberships {
  return {
    addDocuments: (id, documentIds) =>
      writer.transaction().execute(async (transaction) => {
        const collection = await requireCollection(transaction, id);
        const documents = await findDocuments(transaction, documentIds);
        if (documents.length === 0) return [];
        const rows = await transaction
          .insertInto('document_collections')
          .values(documents.map(({ key }) => ({ document_key: key, collection_id: collection.id })))
          .onConflict((conflict) => conflict.doNothing())
          .returning('document_key as key')
          .execute();
        const added = withKeys(documents, rows);
        if (added.length === 0) return [];
        await addPendingScopes(transaction, keysOf(added));
        for (const document of added) {
          await changeSubmission(transaction, document, (ids) => [...new Set([...ids, collection.id])]);
        }
        await outdateGraph(transaction, collection.id);
        for (const key of await extractedOf(transaction, keysOf(added))) {
          await mergeDocumentGraph(transaction, collection.id, key);
        }
        return added.map((document) => document.id);
      }),

    removeDocuments: (id, documentIds) =>
      writer.transaction().execute(async (transaction) => {
        const collectionId = id.toLowerCase();
        const documents = await findDocuments(transaction, documentIds);
        if (documents.length === 0) return [];
        const rows = await transaction
          .deleteFrom('document_collections')
          .where('document_key', 'in', keysOf(documents))
          .where('collection_id', '=', collectionId)
          .returning('document_key as key')
          .execute();
        const removed = withKeys(documents, rows);
        if (removed.length === 0) return [];
        await addPendingScopes(transaction, keysOf(removed));
        for (const document of removed) {
          await changeSubmission(transaction, document, (ids) => ids.filter((each) => each !== collectionId));
        }
        await outdateGraph(transaction, collectionId);
        return removed.map((document) => document.id);
      }),

    members: (id, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        const wanted = transaction.selectFrom('collection_members').where('collection_id', '=', id.toLowerCase());
        const { total } = await wanted.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
        const rows = await wanted
          .select(['user_id', 'created_at'])
          .orderBy('created_at')
          .orderBy('user_id')
          .offset(offset)
          .limit(limit)
          .execute();
        return { items: rows.map((row) => ({ userId: row.user_id, createdAt: row.created_at })), total };
      }),

    addMember: (id, userId) =>
      writer.transaction().execute(async (transaction) => {
        await requireCollection(transaction, id);
        return addMember(transaction, id, userId);
      }),

    removeMember: (id, userId) =>
      writer.transaction().execute(async (transaction) => {
        const { owner_id } = await requireCollection(transaction, id);
        if (owner_id === userId) {
          throw new ServiceError(
            'invalid_request',
            `The owner cannot be removed from collection ${id}; delete the collection instead.`,
          );
        }
        const { numDeletedRows } = await transaction
          .deleteFrom('collection_members')
          .where('collection_id', '=', id.toLowerCase())
          .where('user_id', '=', userId)
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),

    async idsOfMember(userId) {
      const rows = await idsOfMember(reader, userId).execute();
      return rows.map((row) => row.id);
    },
  };
}

/** The collections a user owns or is a member of. */
export const idsOfMember = (database: Queries, userId: string) =>
  database
    .selectFrom('collection_members')
    .select('collection_id as id')
    .where('user_id', '=', userId)
    .union(database.selectFrom('collections').select('id').where('owner_id', '=', userId));

/** Removes the collection from submissions that wait to be published; publishing would otherwise restore it. */
export async function removeFromSubmissions(database: Queries, id: string): Promise<void> {
  const waiting = await database
    .selectFrom('documents')
    .select(['key', 'submitted'])
    .where('submitted', 'is not', null)
    .execute();
  for (const row of waiting) await changeSubmission(database, row, (ids) => ids.filter((each) => each !== id));
}

/**
 * Applies the change to a pending submission as well: on publication, a document gets the collections of its
 * submission, which would otherwise undo the change.
 */
async function changeSubmission(
  database: Queries,
  row: { readonly key: number; readonly submitted: string | null },
  change: (ids: readonly string[]) => readonly string[],
): Promise<void> {
  const submitted = readSubmitted(row);
  if (submitted === null) return;
  await database
    .updateTable('documents')
    .set({ submitted: JSON.stringify({ ...submitted, collectionIds: change(submitted.collectionIds) }) })
    .where('key', '=', row.key)
    .execute();
}

/** Marks the collection's graph as outdated: it no longer matches the documents in the collection. */
async function outdateGraph(database: Queries, id: string): Promise<void> {
  for (const column of ['graph_sync_status', 'graph_cluster_status'] as const) {
    await database
      .updateTable('collections')
      .set({ [column]: 'outdated' })
      .where('id', '=', id.toLowerCase())
      .where(column, '=', 'success')
      .execute();
  }
}

type FoundDocument = Awaited<ReturnType<typeof findDocuments>>[number];

/** In order of their keys, so that two transactions that insert the same documents cannot deadlock. */
async function findDocuments(database: Queries, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const lowerCase = ids.map((id) => id.toLowerCase());
  return database
    .selectFrom('documents')
    .select(['key', 'id', 'submitted'])
    .where('id', 'in', lowerCase)
    .orderBy('key')
    .execute();
}

const keysOf = (documents: readonly FoundDocument[]): number[] => documents.map(({ key }) => key);

function withKeys(documents: readonly FoundDocument[], rows: readonly { readonly key: number }[]): FoundDocument[] {
  const keys = new Set(rows.map(({ key }) => key));
  return documents.filter(({ key }) => keys.has(key));
}

/** Those of these documents whose graph was extracted. */
async function extractedOf(database: Queries, keys: readonly number[]): Promise<number[]> {
  const rows = await database
    .selectFrom('document_graphs')
    .select('document_key as key')
    .where('document_key', 'in', keys)
    .where('extracted_at', 'is not', null)
    .orderBy('document_key')
    .execute();
  return rows.map(({ key }) => key);
}

async function requireCollection(database: Queries, id: string) {
  const row = await database
    .selectFrom('collections')
    .select(['id', 'owner_id'])
    .where('id', '=', id.toLowerCase())
    .executeTakeFirst();
  if (row === undefined) throw new ServiceError('not_found', `There is no collection ${id}.`);
  return row;
}
