import type { Selectable } from 'kysely';
import type { FailedItem, SourceFailureRecords } from '../followed-sources.ts';
import type { Database } from './database.ts';
import type { SourceFailureTable } from './source-schema.ts';
import { writeOfSource } from './write-of-source.ts';

export function createSourceFailures({ reader, writer }: Database): SourceFailureRecords {
  return {
    async failuresOf(id, keys) {
      if (keys.length === 0) return [];
      const own = reader.selectFrom('source_failures').selectAll().where('source_id', '=', id);
      return (await own.where('item_key', 'in', keys).execute()).map(toFailure);
    },

    async saveFailure(id, { key, item, reason, tries, triedAt, nextTryAt }) {
      const saved = { item, reason, tries, tried_at: triedAt, next_try_at: nextTryAt };
      await writeOfSource(writer, id, (transaction) =>
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
  };
}

const toFailure = (row: Selectable<SourceFailureTable>): FailedItem => ({
  key: row.item_key,
  item: row.item,
  reason: row.reason,
  tries: Number(row.tries),
  triedAt: row.tried_at,
  nextTryAt: row.next_try_at,
});
