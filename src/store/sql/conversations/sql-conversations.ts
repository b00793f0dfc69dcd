import type { Selectable } from 'kysely';
import type { Metadata } from '../../../documents/document.ts';
import { newId } from '../../../documents/ids.ts';
import { ServiceError } from '../../../errors.ts';
import type { Conversation, ConversationRecords, StoredMessage, StoredRole } from '../../records.ts';
import type { Database } from '../database.ts';
import { eachRow } from '../sqlite/each-row.ts';
import type { ConversationTable, MessageTable } from './conversation-tables.ts';

/** ConversationRecords in the record store. */
export function createConversations({ reader, writer }: Database): ConversationRecords {
  return {
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

    eachMessage: (userId) =>
      eachRow(async (after, limit) => {
        let wanted = reader.selectFrom('messages').selectAll().where('key', '>', after);
        if (userId !== null) {
          const own = reader.selectFrom('conversations').select('id').where('user_id', '=', userId);
          wanted = wanted.where('conversation_id', 'in', own);
        }
        const rows = await wanted.orderBy('key').limit(limit).execute();
        return rows.map((row) => ({ key: row.key, item: toMessage(row) }));
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

    async messages(conversationId) {
      const rows = await reader
        .selectFrom('messages')
        .selectAll()
        .where('conversation_id', '=', conversationId.toLowerCase())
        .orderBy('key')
        .execute();
      return rows.map(toMessage);
    },

    async message(id) {
      const row = await reader.selectFrom('messages').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst();
      return row && toMessage(row);
    },

    append: ({ conversationId, parentId, role, content, metadata }) =>
      writer.transaction().execute(async (transaction) => {
        const conversation = await transaction
          .selectFrom('conversations')
          .select('id')
          .where('id', '=', conversationId.toLowerCase())
          .executeTakeFirst();
        if (conversation === undefined) {
          throw new ServiceError('not_found', `There is no conversation ${conversationId}.`);
        }
        const row = {
          id: newId(),
          conversation_id: conversation.id,
          parent_id: parentId?.toLowerCase() ?? null,
          role,
          content,
          metadata: JSON.stringify(metadata),
          created_at: new Date().toISOString(),
        };
        await transaction.insertInto('messages').values(row).execute();
        return toMessage(row);
      }),

    edit: (id, { content, metadata }) =>
      writer.transaction().execute(async (transaction) => {
        const row = await transaction
          .selectFrom('messages')
          .selectAll()
          .where('id', '=', id.toLowerCase())
          .executeTakeFirst();
        if (row === undefined) return undefined;
        const isEdited = content !== undefined && content !== row.content;
        const changed = {
          ...row,
          content: content ?? row.content,
          metadata: JSON.stringify({
            ...(JSON.parse(row.metadata) as Metadata),
            ...metadata,
            ...(isEdited && { edited: true }),
          }),
        };
        await transaction
          .updateTable('messages')
          .set({ content: changed.content, metadata: changed.metadata })
          .where('key', '=', row.key)
          .execute();
        // The summary would otherwise keep the message's old content.
        if (isEdited) {
          await transaction
            .deleteFrom('conversation_summaries')
            .where('conversation_id', '=', row.conversation_id)
            .where('through_key', '>=', row.key)
            .execute();
        }
        return toMessage(changed);
      }),

    async summary(conversationId) {
      return reader
        .selectFrom('conversation_summaries as s')
        .innerJoin('messages as m', 'm.key', 's.through_key')
        .select(['s.text', 'm.id as throughId'])
        .where('s.conversation_id', '=', conversationId.toLowerCase())
        .executeTakeFirst();
    },

    async keepSummary(conversationId, { text, throughId }) {
      const created_at = new Date().toISOString();
      await writer
        .insertInto('conversation_summaries')
        .columns(['conversation_id', 'through_key', 'text', 'created_at'])
        .expression(({ selectFrom, val }) =>
          selectFrom('messages')
            .select(['conversation_id', 'key', val(text).as('text'), val(created_at).as('created_at')])
            .where('id', '=', throughId.toLowerCase())
            .where('conversation_id', '=', conversationId.toLowerCase()),
        )
        .onConflict((conflict) =>
          conflict.column('conversation_id').doUpdateSet(({ ref }) => ({
            through_key: ref('excluded.through_key'),
            text: ref('excluded.text'),
            created_at: ref('excluded.created_at'),
          })),
        )
        .execute();
    },
  };
}

function toConversation(row: Omit<Selectable<ConversationTable>, 'key'>): Conversation {
  return { id: row.id, userId: row.user_id, name: row.name, createdAt: row.created_at };
}

function toMessage(row: Omit<Selectable<MessageTable>, 'key'>): StoredMessage {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    parentId: row.parent_id,
    role: row.role as StoredRole,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Metadata,
    createdAt: row.created_at,
  };
}
