import type { ConversationRecords } from '../../records.ts';
import type { Database } from '../database.ts';

/** The operations of ConversationRecords on the summary of a conversation's earlier messages. */
export function createSummaries({ reader, writer }: Database): Pick<ConversationRecords, 'summary' | 'keepSummary'> {
  return {
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
