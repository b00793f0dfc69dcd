import { type Response, Router } from 'express';
import { ServiceError } from '../../errors.ts';
import type { Conversation, ConversationRecords, StoredMessage } from '../../store/records.ts';
import { principalOf } from '../authenticate.ts';
import { list, page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-body.ts';
import { readId, readIds, readPage } from '../read-query.ts';
import { onlyMethods } from '../unknown-route.ts';
import {
  conversationName,
  messageChange,
  newConversation,
  newMessage,
  toConversationRecord,
  toMessageRecord,
} from '../wire/conversation-record.ts';

/** r2r-v3.md 8. */
export function conversationRoutes({ conversations }: Pick<HttpServices, 'conversations'>): Router {
  const router = Router();

  router
    .route('/')
    .post(async (request, response) => {
      const { name = null } = readBody(request, newConversation);
      const { userId } = principalOf(response);
      response.json(single(toConversationRecord(await conversations.create({ userId, name }))));
    })
    .get(async (request, response) => {
      const { userId, isSuperuser } = principalOf(response);
      const ids = readIds(request, 'ids');
      const query = { userId: isSuperuser ? null : userId, ids, ...readPage(request) };
      response.json(page(await conversations.list(query), toConversationRecord));
    })
    .all(onlyMethods('GET', 'POST'));

  router
    .route('/:id')
    .get(async (request, response) => {
      const { id } = await findConversation(conversations, readId(request, 'id'), response);
      const messages = await conversations.messages(id);
      response.json(list(messages.map(toMessageRecord), messages.length));
    })
    .post(async (request, response) => {
      const { id } = await findConversation(conversations, readId(request, 'id'), response);
      const { name } = readBody(request, conversationName);
      const renamed = await conversations.rename(id, name);
      if (renamed === undefined) throw noConversation(id);
      response.json(single(toConversationRecord(renamed)));
    })
    .delete(async (request, response) => {
      const { id } = await findConversation(conversations, readId(request, 'id'), response);
      if (!(await conversations.remove(id))) throw noConversation(id);
      response.json(single({ success: true }));
    })
    .all(onlyMethods('GET', 'POST', 'DELETE'));

  router
    .route('/:id/messages')
    .post(async (request, response) => {
      const conversation = await findConversation(conversations, readId(request, 'id'), response);
      const message = readBody(request, newMessage);
      if (message.parentId !== null) await findMessage(conversations, conversation.id, message.parentId);
      const added = await conversations.append({ conversationId: conversation.id, ...message });
      response.json(single(toMessageRecord(added)));
    })
    .all(onlyMethods('POST'));

  router
    .route('/:id/messages/:messageId')
    .post(async (request, response) => {
      const conversation = await findConversation(conversations, readId(request, 'id'), response);
      const message = await findMessage(conversations, conversation.id, readId(request, 'messageId'));
      const { content, metadata } = readBody(request, messageChange);
      const change = {
        ...(content === undefined ? {} : { content }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      const edited = Object.keys(change).length === 0 ? message : await conversations.edit(message.id, change);
      if (edited === undefined) throw noMessage(message.id);
      response.json(single(toMessageRecord(edited)));
    })
    .all(onlyMethods('POST'));

  return router;
}

/** One's own, or anyone's for a superuser; another's is as if it were not there. */
async function findConversation(records: ConversationRecords, id: string, response: Response): Promise<Conversation> {
  const conversation = await records.get(id);
  const { userId, isSuperuser } = principalOf(response);
  if (conversation === undefined || !(isSuperuser || conversation.userId === userId)) throw noConversation(id);
  return conversation;
}

async function findMessage(records: ConversationRecords, conversationId: string, id: string): Promise<StoredMessage> {
  const message = await records.message(id);
  if (message === undefined || message.conversationId !== conversationId) throw noMessage(id);
  return message;
}

const noConversation = (id: string) => new ServiceError('not_found', `There is no conversation ${id}.`);
const noMessage = (id: string) => new ServiceError('not_found', `There is no message ${id} in this conversation.`);
