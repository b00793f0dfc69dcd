import type { Selectable } from 'kysely';
import type { SourceItem, SourceItemRecords } from '../followed-sources.ts';
import type { Database } from './database.ts';
import type { SourceItemTable } from './source-schema.ts';

export function createSourceItems({ reader, writer, transact }: Database): SourceItemRecords {
  return {
    async items(id, keys) {
      if (keys.length === 0) return [];
      const own = reader.selectFrom('source_items').selectAll().where('source_id', '=', id);
      return (await own.where('item_key', 'in', keys).execute()).map(toItem);
    },

    async saveItems(id, pass, items) {
      if (items.length > 0) await transact('saveSourceItems', { id, pass, items });
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
