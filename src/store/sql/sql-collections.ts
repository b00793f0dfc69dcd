import type { Collection, CollectionRecords } from '../records.ts';
import type { Sqlite } from './open-sqlite.ts';
import type { Queries } from './space-rows.ts';

/** Collections in the record store. */
export function createCollections({ reader, writer }: Sqlite): CollectionRecords {
  return {
    async get(id) {
      const row = await select(reader).where('k.id', '=', id.toLowerCase()).executeTakeFirst();
      return row && toCollection(row);
    },

    async findByName(ownerId, name) {
      const row = await select(reader)
        .where('k.owner_id', '=', ownerId)
        .where('k.name', '=', name)
        .orderBy('k.created_at')
        .executeTakeFirst();
      return row && toCollection(row);
    },

    list: (ownerId, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        let all = transaction.selectFrom('collections').select(({ fn }) => fn.countAll<number>().as('total'));
        let page = select(transaction);
        if (ownerId !== null) {
          all = all.where('owner_id', '=', ownerId);
          page = page.where('k.owner_id', '=', ownerId);
        }
        const { total } = await all.executeTakeFirstOrThrow();
        const rows = await page.orderBy('k.created_at').orderBy('k.id').offset(offset).limit(limit).execute();
        return { items: rows.map(toCollection), total };
      }),

    async ensure({ id, ownerId, name }) {
      const now = new Date().toISOString();
      return writer.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('collections')
          .values({ id: id.toLowerCase(), owner_id: ownerId, name, created_at: now, updated_at: now })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        const row = await select(transaction).where('k.id', '=', id.toLowerCase()).executeTakeFirstOrThrow();
        return toCollection(row);
      });
    },
  };
}

type CollectionRow = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function select(database: Queries) {
  return database
    .selectFrom('collections as k')
    .selectAll('k')
    .select((expressions) =>
      expressions
        .selectFrom('document_collections as m')
        .whereRef('m.collection_id', '=', 'k.id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('documents'),
    );
}

function toCollection(row: CollectionRow): Collection {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    description: row.description,
    documentCount: row.documents ?? 0,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
