import type { Metadata } from '../documents/document.ts';
import type { Page, Paged } from './corpus.ts';

/** How far something made of a collection's graph is (r2r-v3.md 9). */
export type GraphStatus = 'pending' | 'processing' | 'outdated' | 'success' | 'failed';

export interface Collection {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string | null;
  readonly graphClusterStatus: GraphStatus;
  readonly graphSyncStatus: GraphStatus;
  /** Its members, the owner among them. */
  readonly userCount: number;
  readonly documentCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewCollection {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description?: string | null;
}

export interface CollectionChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly graphClusterStatus?: GraphStatus;
  readonly graphSyncStatus?: GraphStatus;
}

export interface CollectionMember {
  readonly userId: string;
  readonly createdAt: string;
}

/**
 * Collections, their members and what documents are in them, r2r-v3.md 9. An owner is always a member. What changes
 * here is seen by the filters of every search that begins afterwards.
 */
export interface CollectionRecords {
  get(id: string): Promise<Collection | undefined>;
  findByName(ownerId: string, name: string): Promise<Collection | undefined>;
  /** Newest first. Without ids those of every id; `ownerId` and `memberId` narrow to one user's. */
  list(
    query: { readonly ids?: readonly string[]; readonly ownerId?: string; readonly memberId?: string } & Page,
  ): Promise<Paged<Collection>>;
  /** Makes it when absent; an existing one is returned unchanged. */
  ensure(collection: NewCollection): Promise<Collection>;
  update(id: string, change: CollectionChange): Promise<Collection | undefined>;
  /** Its documents stay and are no longer in it. Undefined when it was not there. */
  remove(id: string): Promise<{ readonly documents: number; readonly users: number } | undefined>;
  /** False when the document was in it already. Throws `not_found` when either is not there. */
  addDocument(id: string, documentId: string): Promise<boolean>;
  /** False when the document was not in it. */
  removeDocument(id: string, documentId: string): Promise<boolean>;
  /** Those who joined first, first. */
  members(id: string, page: Page): Promise<Paged<CollectionMember>>;
  /** False when the user belonged to it already. Throws `not_found` when there is no such collection. */
  addMember(id: string, userId: string): Promise<boolean>;
  /** False when the user did not belong to it. Throws `invalid_request` for the owner. */
  removeMember(id: string, userId: string): Promise<boolean>;
  /** Of the collections a user owns or belongs to. */
  idsOfMember(userId: string): Promise<string[]>;
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
  /** All of a user's, oldest first, read a few at a time. */
  each(userId: string | null): AsyncGenerator<Conversation, void>;
  /** Every message in a user's conversations, in the order they were written, read a few at a time. */
  eachMessage(userId: string | null): AsyncGenerator<StoredMessage, void>;
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
