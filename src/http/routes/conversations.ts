import type { Router } from 'express';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { list, page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody, readId, readQuery } from '../read-request.ts';
import { sendExport } from '../send-csv.ts';
import {
  conversationName,
  messageChange,
  newConversation,
  newMessage,
  toConversationRecord,
  toMessageRecord,
} from '../wire/conversation-record.ts';
import { conversationColumns, messageColumns } from '../wire/export-columns.ts';
import { idsQuery } from '../wire/query.ts';
import { defined } from '../wire/tolerant.ts';

/** docs/contract.md 8. */
export function conversationRoutes({ conversations }: Pick<HttpServices, 'conversations'>): Router {
  const router = createRouter();

  router.post('/', async (request, response) => {
    const { name = null } = readBody(request, newConversation);
    response.json(single(toConversationRecord(await conversations.create(principalOf(response), name))));
  });

  router.get('/', async (request, response) => {
    const found = await conversations.list(principalOf(response), readQuery(request, idsQuery));
    response.json(page(found, toConversationRecord));
  });

  // docs/contract.md 6.3: users export their own conversations, superusers all.
  router.post('/export', async (request, response) => {
    const rows = () => conversations.each(principalOf(response));
    await sendExport(request, response, { name: 'conversations', columns: conversationColumns, rows });
  });

  router.post('/export_messages', async (request, response) => {
    const rows = () => conversations.eachMessage(principalOf(response));
    await sendExport(request, response, { name: 'messages', columns: messageColumns, rows });
  });

  router.get('/:id', async (request, response) => {
    const messages = await conversations.messages(principalOf(response), readId(request, 'id'));
    response.json(list(messages.map(toMessageRecord), messages.length));
  });

  router.post('/:id', async (request, response) => {
    const { name } = readBody(request, conversationName);
    const renamed = await conversations.rename(principalOf(response), readId(request, 'id'), name);
    response.json(single(toConversationRecord(renamed)));
  });

  router.delete('/:id', async (request, response) => {
    await conversations.remove(principalOf(response), readId(request, 'id'));
    response.json(single({ success: true }));
  });

  router.post('/:id/messages', async (request, response) => {
    const { parentId, ...message } = readBody(request, newMessage);
    const added = await conversations.append(principalOf(response), readId(request, 'id'), {
      ...message,
      ...(parentId === null ? {} : { parentId }),
    });
    response.json(single(toMessageRecord(added)));
  });

  router.post('/:id/messages/:messageId', async (request, response) => {
    const change = defined(readBody(request, messageChange));
    const [id, messageId] = [readId(request, 'id'), readId(request, 'messageId')];
    const edited = await conversations.edit(principalOf(response), id, messageId, change);
    response.json(single(toMessageRecord(edited)));
  });

  return router;
}
