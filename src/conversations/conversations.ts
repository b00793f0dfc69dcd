import type { Principal } from '../access/principal.ts';
import type { Metadata } from '../documents/document.ts';
import { isUuid, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Page, Paged } from '../store/corpus.ts';
import type {
  Conversation,
  ConversationRecords,
  ConversationSummary,
  StoredMessage,
  StoredRole,
} from '../store/records.ts';

export interface NewMessage {
  readonly role: StoredRole;
  readonly content: string;
  readonly parentId?: string;
  readonly metadata?: Metadata;
  /** Refuses a second message that is the only answer to this parent, however many callers add one at once. */
  readonly isOnlyAnswer?: boolean;
}

export interface MessageChange {
  readonly content?: string;
  readonly metadata?: Metadata;
}

/**
 * Conversations visible to and editable by one user, docs/contract.md 8. Foreign and unknown conversations are both
 * `not_found`; superusers have access to all. A message without content is `invalid_request`.
 */
export interface Conversations {
  create(principal: Principal, name: string | null): Promise<Conversation>;
  get(principal: Principal, id: string): Promise<Conversation>;
  /** In chronological order, across all branches. */
  messages(principal: Principal, id: string): Promise<readonly StoredMessage[]>;
  /** Newest first; empty `ids` means all. */
  list(principal: Principal, query: { readonly ids: readonly string[] } & Page): Promise<Paged<Conversation>>;
  /** All conversations, oldest first, read in pages. */
  each(principal: Principal): AsyncGenerator<Conversation, void>;
  /** Messages of all conversations in chronological order. */
  eachMessage(principal: Principal): AsyncGenerator<StoredMessage, void>;
  rename(principal: Principal, id: string, name: string): Promise<Conversation>;
  remove(principal: Principal, id: string): Promise<void>;
  /** Throws `conflict` if the message is to be the only answer, and there is one. */
  append(principal: Principal, conversationId: string, message: NewMessage): Promise<StoredMessage>;
  edit(principal: Principal, conversationId: string, messageId: string, change: MessageChange): Promise<StoredMessage>;
  /** Summary that replaces the older messages of a long conversation for a model. */
  summary(principal: Principal, id: string): Promise<ConversationSummary | undefined>;
  saveSummary(principal: Principal, id: string, summary: ConversationSummary): Promise<void>;
}

export function createConversations(records: ConversationRecords): Conversations {
  const own = async (principal: Principal, id: string): Promise<Conversation> => {
    const conversation = isUuid(id) ? await records.get(id) : undefined;
    if (conversation === undefined || !(principal.isSuperuser || conversation.userId === principal.userId)) {
      throw noConversation(id);
    }
    return conversation;
  };

  return {
    create: ({ userId }, name) => records.create({ userId, name }),
    get: own,

    async messages(principal, id) {
      return records.messages((await own(principal, id)).id);
    },

    list: ({ userId, isSuperuser }, query) => records.list({ ...query, userId: isSuperuser ? null : userId }),

    each: ({ userId, isSuperuser }) => records.each(isSuperuser ? null : userId),
    eachMessage: ({ userId, isSuperuser }) => records.eachMessage(isSuperuser ? null : userId),

    async rename(principal, id, name) {
      await own(principal, id);
      const renamed = await records.rename(id, name);
      if (renamed === undefined) throw noConversation(id);
      return renamed;
    },

    async remove(principal, id) {
      await own(principal, id);
      if (!(await records.remove(id))) throw noConversation(id);
    },

    async append(principal, conversationId, { role, content, parentId, metadata = {}, isOnlyAnswer }) {
      const conversation = await own(principal, conversationId);
      checkContent(content);
      if (parentId !== undefined) await messageOf(records, conversation, parentId);
      const message = { conversationId: conversation.id, parentId: parentId ?? null, role, content, metadata };
      if (isOnlyAnswer !== true) return records.append(message);
      if (parentId === undefined) throw new ServiceError('invalid_request', 'An only answer needs a parent_id.');
      // All only answers to a message have the same id, which the store keeps unique.
      return records.append({ ...message, id: uuidFromName(`only answer to ${parentId.toLowerCase()}`) });
    },

    async edit(principal, conversationId, messageId, change) {
      const conversation = await own(principal, conversationId);
      const message = await messageOf(records, conversation, messageId);
      if (change.content !== undefined) checkContent(change.content);
      const edited = await records.edit(message.id, change);
      if (edited === undefined) throw noMessage(conversation, messageId);
      return edited;
    },

    async summary(principal, id) {
      return records.summary((await own(principal, id)).id);
    },

    async saveSummary(principal, id, summary) {
      await records.keepSummary((await own(principal, id)).id, summary);
    },
  };
}

async function messageOf(records: ConversationRecords, conversation: Conversation, id: string): Promise<StoredMessage> {
  const message = isUuid(id) ? await records.message(id) : undefined;
  if (message?.conversationId !== conversation.id) throw noMessage(conversation, id);
  return message;
}

function checkContent(content: string): void {
  if (content.trim() !== '') return;
  throw new ServiceError('invalid_request', 'A message needs content; this one is empty.');
}

const noConversation = (id: string) => new ServiceError('not_found', `There is no conversation ${id}.`);

const noMessage = (conversation: Conversation, id: string) =>
  new ServiceError('not_found', `There is no message ${id} in conversation ${conversation.id}.`);
