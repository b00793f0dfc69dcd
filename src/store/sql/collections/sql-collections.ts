import type { Collection, CollectionChange, CollectionRecords, GraphStatus } from '../../records.ts';
import type { Database } from '../database.ts';
import type { GraphResets } from '../graph/graph-resets.ts';
import { addPendingScopes } from '../index-sync/chunk-scopes.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { createMemberships, idsOfMember, removeFromSubmissions } from './collection-memberships.ts';
import { insertCollection } from './insert-collection.ts';

/** CollectionRecords in the record store. */
export function createCollections(sqlite: Database, resets: GraphResets): CollectionRecords {
  const { reader, writer } = sqlite;
  return {
    ...createMemberships(sqlite),

    async get(id) {
      const row = await select(reader).where('k.id', '=', id.toLowerCase()).executeTakeFirst();
      return row && toCollection(row);
    },

    async existing(ids) {
      if (ids.length === 0) return [];
      const lowerCase = ids.map((id) => id.toLowerCase());
      const rows = await reader.selectFrom('collections').select('id').where('id', 'in', lowerCase).execute();
      return rows.map(({ id }) => id);
    },

    async findByName(ownerId, name) {
      const row = await select(reader)
        .where('k.owner_id', '=', ownerId)
        .where('k.name', '=', name)
        .orderBy('k.created_at')
        .executeTakeFirst();
      return row && toCollection(row);
    },

    list: ({ ids = [], ownerId, memberId, offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        let wanted = transaction.selectFrom('collections as k').select('k.id');
        const lowerCase = ids.map((id) => id.toLowerCase());
        if (ids.length > 0) wanted = wanted.where('k.id', 'in', lowerCase);
        if (ownerId !== undefined) wanted = wanted.where('k.owner_id', '=', ownerId);
        if (memberId !== undefined) wanted = wanted.where('k.id', 'in', idsOfMember(transaction, memberId));
        const { total } = await wanted
          .clearSelect()
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .executeTakeFirstOrThrow();
        const page = wanted.orderBy('k.created_at', 'desc').orderBy('k.id').offset(offset).limit(limit);
        const rows = await select(transaction)
          .where('k.id', 'in', page)
          .orderBy('k.created_at', 'desc')
          .orderBy('k.id')
          .execute();
        return { items: rows.map(toCollection), total };
      }),

    ensure: (collection) =>
      writer.transaction().execute(async (transaction) => {
        await insertCollection(transaction, collection);
        return readOne(transaction, collection.id);
      }),

    update: (id, change) =>
      writer.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('collections')
          .set({ ...toColumns(change), updated_at: new Date().toISOString() })
          .where('id', '=', id.toLowerCase())
          .executeTakeFirst();
        return numUpdatedRows === 0n ? undefined : readOne(transaction, id);
      }),

    async remove(id) {
      // The graph is emptied first, in steps, because it can have far more rows than the collection has documents. If
      // this is interrupted, the collection remains and its graph is gathered again.
      for await (const _ of resets.empty(id.toLowerCase(), { excludesDocuments: false }));
      return writer.transaction().execute(async (transaction) => {
        const row = await select(transaction).where('k.id', '=', id.toLowerCase()).executeTakeFirst();
        if (row === undefined) return undefined;
        const { documentCount, userCount } = toCollection(row);
        await removeFromSubmissions(transaction, row.id);
        const left = await transaction
          .deleteFrom('document_collections')
          .where('collection_id', '=', row.id)
          .returning('document_key as key')
          .execute();
        await addPendingScopes(
          transaction,
          left.map(({ key }) => key),
        );
        await transaction.deleteFrom('collections').where('id', '=', row.id).execute();
        return { documents: documentCount, users: userCount };
      });
    },
  };
}

type CollectionRow = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function select(database: Queries) {
  return database
    .selectFrom('collections as k')
    .selectAll('k')
    .select((expressions) => [
      expressions
        .selectFrom('document_collections as m')
        .whereRef('m.collection_id', '=', 'k.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('documents'),
      expressions
        .selectFrom('collection_members as u')
        .whereRef('u.collection_id', '=', 'k.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('users'),
    ]);
}

const readOne = async (database: Queries, id: string): Promise<Collection> =>
  toCollection(await select(database).where('k.id', '=', id.toLowerCase()).executeTakeFirstOrThrow());

function toColumns({ name, description, graphClusterStatus, graphSyncStatus }: CollectionChange) {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(graphClusterStatus !== undefined && { graph_cluster_status: graphClusterStatus }),
    ...(graphSyncStatus !== undefined && { graph_sync_status: graphSyncStatus }),
  };
}

function toCollection(row: CollectionRow): Collection {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    description: row.description,
    graphClusterStatus: row.graph_cluster_status as GraphStatus,
    graphSyncStatus: row.graph_sync_status as GraphStatus,
    userCount: row.users ?? 0,
    documentCount: row.documents ?? 0,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
