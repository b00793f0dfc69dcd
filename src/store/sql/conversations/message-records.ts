import type { Selectable } from 'kysely';
import type { Metadata } from '../../../documents/document.ts';
import { newId } from '../../../documents/ids.ts';
import { ServiceError } from '../../../errors.ts';
import type { ConversationRecords, StoredMessage, StoredRole } from '../../records.ts';
import type { Database } from '../database.ts';
import { eachRow } from '../sqlite/each-row.ts';
import type { MessageTable } from './conversation-tables.ts';

/** The operations of ConversationRecords on the messages of conversations. */
export function createMessages({
  reader,
  writer,
}: Database): Pick<ConversationRecords, 'eachMessage' | 'messages' | 'message' | 'append' | 'edit'> {
  return {
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

    append: ({ id = newId(), conversationId, parentId, role, content, metadata }) =>
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
          id,
          conversation_id: conversation.id,
          parent_id: parentId?.toLowerCase() ?? null,
          role,
          content,
          metadata: JSON.stringify(metadata),
          created_at: new Date().toISOString(),
        };
        const { numInsertedOrUpdatedRows: added } = await transaction
          .insertInto('messages')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (added !== 1n) throw new ServiceError('conflict', `There is already a message ${id}.`);
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
  };
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
