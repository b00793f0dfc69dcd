import type { Metadata } from '../documents/document.ts';
import type { Page, Paged } from './corpus.ts';

export interface Collection {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string | null;
  readonly documentCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface CollectionRecords {
  get(id: string): Promise<Collection | undefined>;
  findByName(ownerId: string, name: string): Promise<Collection | undefined>;
  list(ownerId: string | null, page: Page): Promise<Paged<Collection>>;
  /** Makes it when absent; an existing one is returned unchanged. */
  ensure(collection: { readonly id: string; readonly ownerId: string; readonly name: string }): Promise<Collection>;
}

export interface Conversation {
  readonly id: string;
  readonly userId: string;
  readonly name: string | null;
  readonly createdAt: string;
}

export type StoredRole = 'system' | 'user' | 'assistant';

export interface StoredMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly parentId: string | null;
  readonly role: StoredRole;
  readonly content: string;
  readonly metadata: Metadata;
  readonly createdAt: string;
}

/** What a model reads in the place of a conversation's older messages, which are kept all the same. */
export interface ConversationSummary {
  readonly text: string;
  /** The last message it stands for. */
  readonly throughId: string;
}

/** Conversations and their messages, r2r-v3.md 8. `userId` null means every user's. */
export interface ConversationRecords {
  create(conversation: { readonly userId: string; readonly name: string | null }): Promise<Conversation>;
  get(id: string): Promise<Conversation | undefined>;
  /** Newest first; `ids` empty means all. */
  list(query: { readonly userId: string | null; readonly ids: readonly string[] } & Page): Promise<Paged<Conversation>>;
  rename(id: string, name: string): Promise<Conversation | undefined>;
  /** True when it was there. Its messages go with it. */
  remove(id: string): Promise<boolean>;
  /** Chronological. */
  messages(conversationId: string): Promise<readonly StoredMessage[]>;
  message(id: string): Promise<StoredMessage | undefined>;
  append(message: {
    readonly conversationId: string;
    readonly parentId: string | null;
    readonly role: StoredRole;
    readonly content: string;
    readonly metadata: Metadata;
  }): Promise<StoredMessage>;
  edit(
    id: string,
    change: { readonly content?: string; readonly metadata?: Metadata },
  ): Promise<StoredMessage | undefined>;
  /** Undefined when there is none, or a message it stands for was edited since. */
  summary(conversationId: string): Promise<ConversationSummary | undefined>;
  /** Takes the place of an earlier one. Nothing happens when the message is gone or of another conversation. */
  keepSummary(conversationId: string, summary: ConversationSummary): Promise<void>;
}
