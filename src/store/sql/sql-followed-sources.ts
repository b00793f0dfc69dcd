import type { Selectable } from 'kysely';
import type { FollowedSource, FollowedSourceRecords, SourceLocation, SyncReport } from '../followed-sources.ts';
import type { Database } from './database.ts';
import type { FollowedSourceTable } from './schema.ts';

/** FollowedSourceRecords in the record store. */
export function createFollowedSources({ reader, writer }: Database): FollowedSourceRecords {
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

    async add({ id, ownerId, location, collectionIds, createdAt, lastSync }) {
      await writer
        .insertInto('followed_sources')
        .values({
          id,
          owner_id: ownerId,
          location: JSON.stringify(location),
          collection_ids: JSON.stringify(collectionIds),
          created_at: createdAt,
          last_sync: lastSync && JSON.stringify(lastSync),
        })
        .execute();
    },

    async saveReport(id, report) {
      const saved = { last_sync: JSON.stringify(report) };
      await writer.updateTable('followed_sources').set(saved).where('id', '=', id).execute();
    },

    async remove(id) {
      await writer.deleteFrom('followed_sources').where('id', '=', id).execute();
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
});
