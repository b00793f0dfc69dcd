import type { Selectable } from 'kysely';
import type { FollowedSource, FollowedSourceRecords, SourceLocation, SyncReport } from '../followed-sources.ts';
import type { Database } from './database.ts';
import type { FollowedSourceTable } from './source-schema.ts';
import { createSourceFailures } from './sql-source-failures.ts';
import { createSourceItems } from './sql-source-items.ts';

/** FollowedSourceRecords in the record store. */
export function createFollowedSources(database: Database): FollowedSourceRecords {
  const { reader, writer } = database;
  return {
    ...createSourceItems(database),
    ...createSourceFailures(database),

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
  };
}

const toSource = (row: Selectable<FollowedSourceTable>): FollowedSource => ({
  id: row.id,
  ownerId: row.owner_id,
  location: JSON.parse(row.location) as SourceLocation,
  collectionIds: JSON.parse(row.collection_ids) as string[],
  createdAt: row.created_at,
  lastSync: row.last_sync === null ? null : (JSON.parse(row.last_sync) as SyncReport),
  ...(row.credentials !== null && { credentials: row.credentials }),
});
