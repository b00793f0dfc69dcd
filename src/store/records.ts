import type { Metadata } from '../documents/document.ts';
import type { Page, Paged } from './corpus.ts';

/** State of a build derived from a collection's graph (docs/contract.md 9). */
export type GraphStatus = 'pending' | 'processing' | 'outdated' | 'success' | 'failed';

export interface Collection {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  readonly description: string | null;
  readonly graphClusterStatus: GraphStatus;
  readonly graphSyncStatus: GraphStatus;
  /** Number of members, including the owner. */
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
 * Collections, their members and their documents, docs/contract.md 9. An owner is always a member. Changes apply to the
 * filters of every search that begins afterwards.
 */
export interface CollectionRecords {
  get(id: string): Promise<Collection | undefined>;
  /** Those of these identifiers that are collections, without counting their documents. */
  existing(ids: readonly string[]): Promise<readonly string[]>;
  findByName(ownerId: string, name: string): Promise<Collection | undefined>;
  /** Newest first. Without ids all collections; `ownerId` and `memberId` restrict to one user's. */
  list(
    query: { readonly ids?: readonly string[]; readonly ownerId?: string; readonly memberId?: string } & Page,
  ): Promise<Paged<Collection>>;
  /** Creates it when absent; an existing one is returned unchanged. */
  ensure(collection: NewCollection): Promise<Collection>;
  update(id: string, change: CollectionChange): Promise<Collection | undefined>;
  /** Its documents are kept and leave the collection. Undefined when it did not exist. */
  remove(id: string): Promise<{ readonly documents: number; readonly users: number } | undefined>;
  /**
   * Adds documents in one transaction. Returns those that were added: not those that are in the collection already, or do
   * not exist. Throws `not_found` when there is no such collection.
   */
  addDocuments(id: string, documentIds: readonly string[]): Promise<readonly string[]>;
  /** Removes documents in one transaction, and returns those that were in the collection. */
  removeDocuments(id: string, documentIds: readonly string[]): Promise<readonly string[]>;
  /** In order of joining. */
  members(id: string, page: Page): Promise<Paged<CollectionMember>>;
  /** False when the user was already a member. Throws `not_found` when there is no such collection. */
  addMember(id: string, userId: string): Promise<boolean>;
  /** False when the user was not a member. Throws `invalid_request` for the owner. */
  removeMember(id: string, userId: string): Promise<boolean>;
  /** Identifiers of the collections a user owns or is a member of. */
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

/** Summary that replaces a conversation's older messages in the model's context; the messages themselves are kept. */
export interface ConversationSummary {
  readonly text: string;
  /** The last message it covers. */
  readonly throughId: string;
}

/** Conversations and their messages, docs/contract.md 8. `userId` null means all users. */
export interface ConversationRecords {
  create(conversation: { readonly userId: string; readonly name: string | null }): Promise<Conversation>;
  get(id: string): Promise<Conversation | undefined>;
  /** Newest first; `ids` empty means all. */
  list(query: { readonly userId: string | null; readonly ids: readonly string[] } & Page): Promise<Paged<Conversation>>;
  /** All conversations of a user, oldest first, read in small batches. */
  each(userId: string | null): AsyncGenerator<Conversation, void>;
  /** Every message in a user's conversations, in writing order, read in small batches. */
  eachMessage(userId: string | null): AsyncGenerator<StoredMessage, void>;
  rename(id: string, name: string): Promise<Conversation | undefined>;
  /** True when it existed. Its messages are deleted with it. */
  remove(id: string): Promise<boolean>;
  /** Chronological. */
  messages(conversationId: string): Promise<readonly StoredMessage[]>;
  message(id: string): Promise<StoredMessage | undefined>;
  /** Throws `conflict` if there is a message with this id, and `not_found` if there is no such conversation. */
  append(message: {
    /** A random id if absent. */
    readonly id?: string;
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
  /** Undefined when there is none, or when a message it covers was edited since. */
  summary(conversationId: string): Promise<ConversationSummary | undefined>;
  /** Replaces an earlier one. Does nothing when the message is gone or belongs to another conversation. */
  keepSummary(conversationId: string, summary: ConversationSummary): Promise<void>;
}
