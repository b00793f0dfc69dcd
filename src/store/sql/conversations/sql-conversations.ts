import type { Selectable } from 'kysely';
import { newId } from '../../../documents/ids.ts';
import type { Conversation, ConversationRecords } from '../../records.ts';
import type { Database } from '../database.ts';
import { eachRow } from '../sqlite/each-row.ts';
import { createSummaries } from './conversation-summaries.ts';
import type { ConversationTable } from './conversation-tables.ts';
import { createMessages } from './message-records.ts';

/** ConversationRecords in the record store. */
export function createConversations(database: Database): ConversationRecords {
  const { reader, writer } = database;
  return {
    ...createMessages(database),
    ...createSummaries(database),

    async create({ userId, name }) {
      const row = { id: newId(), user_id: userId, name, created_at: new Date().toISOString() };
      await writer.insertInto('conversations').values(row).execute();
      return toConversation(row);
    },

    async get(id) {
      const row = await reader
        .selectFrom('conversations')
        .selectAll()
        .where('id', '=', id.toLowerCase())
        .executeTakeFirst();
      return row && toConversation(row);
    },

    list: ({ userId, ids, offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        let wanted = transaction.selectFrom('conversations');
        if (userId !== null) wanted = wanted.where('user_id', '=', userId);
        const lowerCase = ids.map((id) => id.toLowerCase());
        if (ids.length > 0) wanted = wanted.where('id', 'in', lowerCase);
        const { total } = await wanted.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
        const rows = await wanted.selectAll().orderBy('key', 'desc').offset(offset).limit(limit).execute();
        return { items: rows.map(toConversation), total };
      }),

    each: (userId) =>
      eachRow(async (after, limit) => {
        let wanted = reader.selectFrom('conversations').selectAll().where('key', '>', after);
        if (userId !== null) wanted = wanted.where('user_id', '=', userId);
        const rows = await wanted.orderBy('key').limit(limit).execute();
        return rows.map((row) => ({ key: row.key, item: toConversation(row) }));
      }),

    async rename(id, name) {
      const row = await writer
        .updateTable('conversations')
        .set({ name })
        .where('id', '=', id.toLowerCase())
        .returningAll()
        .executeTakeFirst();
      return row && toConversation(row);
    },

    async remove(id) {
      const { numDeletedRows } = await writer
        .deleteFrom('conversations')
        .where('id', '=', id.toLowerCase())
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function toConversation(row: Omit<Selectable<ConversationTable>, 'key'>): Conversation {
  return { id: row.id, userId: row.user_id, name: row.name, createdAt: row.created_at };
}
