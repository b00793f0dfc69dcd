import type { Selectable, Transaction } from 'kysely';
import type {
  FailedItem,
  FollowedSource,
  FollowedSourceRecords,
  SourceItem,
  SourceLocation,
  SyncReport,
} from '../followed-sources.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';
import type { FollowedSourceTable, SourceFailureTable, SourceItemTable } from './source-schema.ts';
import { dialectOf } from './sql-dialect.ts';

/** FollowedSourceRecords in the record store. */
export function createFollowedSources({ reader, writer }: Database): FollowedSourceRecords {
  /**
   * Writes rows that belong to a source, unless the source was removed. On PostgreSQL, where another server may remove
   * it concurrently, its row is locked so that the removal waits.
   */
  const writeOf = (id: string, write: (transaction: Transaction<Tables>) => Promise<unknown>): Promise<void> =>
    writer.transaction().execute(async (transaction) => {
      const own = transaction.selectFrom('followed_sources').select('id').where('id', '=', id);
      const isShared = dialectOf(transaction).name === 'postgres';
      if ((await (isShared ? own.forKeyShare() : own).executeTakeFirst()) !== undefined) await write(transaction);
    });

  return {
    async list() {
      const rows = await reader
        .selectFrom('followed_sources')
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toSource);
    },

    async add({ id, ownerId, location, collectionIds, createdAt, lastSync, credentials }) {
      await writer
        .insertInto('followed_sources')
        .values({
          id,
          owner_id: ownerId,
          location: JSON.stringify(location),
          collection_ids: JSON.stringify(collectionIds),
          created_at: createdAt,
          last_sync: lastSync && JSON.stringify(lastSync),
          credentials: credentials ?? null,
        })
        .execute();
    },

    async change({ id, location, collectionIds, credentials = null }) {
      const saved = { location: JSON.stringify(location), collection_ids: JSON.stringify(collectionIds), credentials };
      await writer.updateTable('followed_sources').set(saved).where('id', '=', id).execute();
    },

    async saveReport(id, report) {
      const saved = { last_sync: JSON.stringify(report) };
      await writer.updateTable('followed_sources').set(saved).where('id', '=', id).execute();
    },

    async remove(id) {
      await writer.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('followed_sources').where('id', '=', id).execute();
        await transaction.deleteFrom('source_items').where('source_id', '=', id).execute();
        await transaction.deleteFrom('source_failures').where('source_id', '=', id).execute();
      });
    },

    async cursorOf(id) {
      const row = await reader
        .selectFrom('followed_sources')
        .select('list_cursor')
        .where('id', '=', id)
        .executeTakeFirst();
      return row?.list_cursor ?? undefined;
    },

    async saveCursor(id, cursor) {
      const saved = { list_cursor: cursor ?? null };
      await writer.updateTable('followed_sources').set(saved).where('id', '=', id).execute();
    },

    async items(id, keys) {
      if (keys.length === 0) return [];
      const own = reader.selectFrom('source_items').selectAll().where('source_id', '=', id);
      return (await own.where('item_key', 'in', keys).execute()).map(toItem);
    },

    async saveItems(id, pass, items) {
      if (items.length === 0) return;
      await writeOf(id, (transaction) =>
        transaction
          .insertInto('source_items')
          .values(items.map((item) => toRow(id, pass, item)))
          .onConflict((conflict) =>
            conflict.columns(['source_id', 'item_key']).doUpdateSet(({ ref }) => ({
              version: ref('excluded.version'),
              uri: ref('excluded.uri'),
              pass: ref('excluded.pass'),
              duplicate_of: ref('excluded.duplicate_of'),
            })),
          )
          .execute(),
      );
    },

    async unseen(id, pass, { after, limit }) {
      let query = reader.selectFrom('source_items').selectAll().where('source_id', '=', id).where('pass', '!=', pass);
      if (after !== undefined) query = query.where('item_key', '>', after);
      return (await query.orderBy('item_key').limit(limit).execute()).map(toItem);
    },

    async hasItems(id) {
      const own = reader.selectFrom('source_items').select('item_key').where('source_id', '=', id);
      return (await own.limit(1).executeTakeFirst()) !== undefined;
    },

    async isOfOthers(id, uri) {
      const row = await reader
        .selectFrom('followed_sources as own')
        .innerJoin('followed_sources as other', 'other.owner_id', 'own.owner_id')
        .innerJoin('source_items as item', 'item.source_id', 'other.id')
        .select('item.item_key')
        .where('own.id', '=', id)
        .where('other.id', '!=', id)
        .where('item.uri', '=', uri)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async removeItems(id, keys) {
      if (keys.length === 0) return;
      await writer.transaction().execute(async (transaction) => {
        for (const table of ['source_items', 'source_failures'] as const) {
          await transaction.deleteFrom(table).where('source_id', '=', id).where('item_key', 'in', keys).execute();
        }
      });
    },

    async failuresOf(id, keys) {
      if (keys.length === 0) return [];
      const own = reader.selectFrom('source_failures').selectAll().where('source_id', '=', id);
      return (await own.where('item_key', 'in', keys).execute()).map(toFailure);
    },

    async saveFailure(id, { key, item, reason, tries, triedAt, nextTryAt }) {
      const saved = { item, reason, tries, tried_at: triedAt, next_try_at: nextTryAt };
      await writeOf(id, (transaction) =>
        transaction
          .insertInto('source_failures')
          .values({ source_id: id, item_key: key, ...saved })
          .onConflict((conflict) => conflict.columns(['source_id', 'item_key']).doUpdateSet(saved))
          .execute(),
      );
    },

    async forgetFailures(id, keys) {
      if (keys.length === 0) return;
      await writer.deleteFrom('source_failures').where('source_id', '=', id).where('item_key', 'in', keys).execute();
    },

    async dueFailures(id, { triedBefore, dueAt, after, limit }) {
      let query = reader.selectFrom('source_failures').selectAll().where('source_id', '=', id);
      query = query.where('tried_at', '<', triedBefore);
      if (dueAt !== undefined) query = query.where('next_try_at', '<=', dueAt);
      if (after !== undefined) query = query.where('item_key', '>', after);
      return (await query.orderBy('item_key').limit(limit).execute()).map(toFailure);
    },

    async latestFailures(id, limit) {
      const own = reader.selectFrom('source_failures').where('source_id', '=', id);
      const { count } = await own.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
      if (Number(count) === 0) return { count: 0, items: [] };
      const latest = own.selectAll().orderBy('tried_at', 'desc').orderBy('item_key').limit(limit);
      return { count: Number(count), items: (await latest.execute()).map(toFailure) };
    },

    async releaseDuplicates(documentId) {
      return await writer.transaction().execute(async (transaction) => {
        const released = await transaction
          .updateTable('source_items')
          .set({ version: null, duplicate_of: null })
          .where('duplicate_of', '=', documentId)
          .returning('source_id')
          .execute();
        if (released.length === 0) return false;
        const ids = [...new Set(released.map(({ source_id }) => source_id))];
        // A listing of changes would not name these items again, so a full listing is needed.
        await transaction.updateTable('followed_sources').set({ list_cursor: null }).where('id', 'in', ids).execute();
        return true;
      });
    },
  };
}

const toItem = (row: Selectable<SourceItemTable>): SourceItem => ({
  key: row.item_key,
  version: row.version,
  uri: row.uri,
  duplicateOf: row.duplicate_of,
});

const toFailure = (row: Selectable<SourceFailureTable>): FailedItem => ({
  key: row.item_key,
  item: row.item,
  reason: row.reason,
  tries: Number(row.tries),
  triedAt: row.tried_at,
  nextTryAt: row.next_try_at,
});

const toRow = (id: string, pass: string, { key, version, uri, duplicateOf }: SourceItem) => ({
  source_id: id,
  item_key: key,
  version,
  uri,
  pass,
  duplicate_of: duplicateOf,
});

const toSource = (row: Selectable<FollowedSourceTable>): FollowedSource => ({
  id: row.id,
  ownerId: row.owner_id,
  location: JSON.parse(row.location) as SourceLocation,
  collectionIds: JSON.parse(row.collection_ids) as string[],
  createdAt: row.created_at,
  lastSync: row.last_sync === null ? null : (JSON.parse(row.last_sync) as SyncReport),
  ...(row.credentials !== null && { credentials: row.credentials }),
});
