import { ServiceError } from '../../../errors.ts';
import type { CollectionRecords } from '../../records.ts';
import type { Database } from '../database.ts';
import { findRow, readSubmitted } from '../documents/document-rows.ts';
import { mergeDocumentGraph } from '../graph/merge-document-graph.ts';
import { addPendingScopes } from '../index-sync/chunk-scopes.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { addMember } from './insert-collection.ts';

type Memberships = Pick<
  CollectionRecords,
  'addDocument' | 'removeDocument' | 'members' | 'addMember' | 'removeMember' | 'idsOfMember'
>;

/** Documents and members of collections. */
export function createMemberships({ reader, writer }: Database): Memberships {
  return {
    addDocument: (id, documentId) =>
      writer.transaction().execute(async (transaction) => {
        const collection = await requireCollection(transaction, id);
        const document = await findRow(transaction, documentId);
        if (document === undefined) throw new ServiceError('not_found', `There is no document ${documentId}.`);
        const { numInsertedOrUpdatedRows: added } = await transaction
          .insertInto('document_collections')
          .values({ document_key: document.key, collection_id: collection.id })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (added !== 1n) return false;
        await addPendingScopes(transaction, [document.key]);
        await changeSubmission(transaction, document, (ids) => [...new Set([...ids, collection.id])]);
        await outdateGraph(transaction, collection.id);
        if (await isExtracted(transaction, document.key)) {
          await mergeDocumentGraph(transaction, collection.id, document.key);
        }
        return true;
      }),

    removeDocument: (id, documentId) =>
      writer.transaction().execute(async (transaction) => {
        const document = await findRow(transaction, documentId);
        if (document === undefined) return false;
        const { numDeletedRows: removed } = await transaction
          .deleteFrom('document_collections')
          .where('document_key', '=', document.key)
          .where('collection_id', '=', id.toLowerCase())
          .executeTakeFirst();
        if (removed === 0n) return false;
        await addPendingScopes(transaction, [document.key]);
        await changeSubmission(transaction, document, (ids) => ids.filter((each) => each !== id.toLowerCase()));
        await outdateGraph(transaction, id);
        return true;
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

async function isExtracted(database: Queries, key: number): Promise<boolean> {
  const row = await database
    .selectFrom('document_graphs')
    .select('document_key')
    .where('document_key', '=', key)
    .where('extracted_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
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
