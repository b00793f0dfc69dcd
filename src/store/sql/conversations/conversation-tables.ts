import type { Generated } from 'kysely';

/** JSON stored as text; its type is noted beside each column. Times are ISO-8601 in UTC. */
type JsonText = string;

export interface ConversationTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly user_id: string;
  readonly name: string | null;
  readonly created_at: string;
}

export interface MessageTable {
  readonly key: Generated<number>;
  readonly id: string;
  readonly conversation_id: string;
  readonly parent_id: string | null;
  readonly role: string;
  readonly content: string;
  /** Metadata */
  readonly metadata: JsonText;
  readonly created_at: string;
}

export interface ConversationSummaryTable {
  readonly conversation_id: string;
  /** The last message it covers. */
  readonly through_key: number;
  readonly text: string;
  readonly created_at: string;
}

/** The tables of conversations. */
export interface ConversationTables {
  readonly conversations: ConversationTable;
  readonly messages: MessageTable;
  readonly conversation_summaries: ConversationSummaryTable;
}
