import {
  conversationName,
  conversationRecord,
  messageChange,
  messageRecord,
  newConversation,
  newMessage,
} from '../../wire/conversation-record.ts';
import { idsQuery } from '../../wire/query.ts';
import { listOf, results, success } from '../../wire/record-parts.ts';
import { csvExport, json, type OperationGroup, operationsOf } from '../operation.ts';

const contractOperation = operationsOf({ section: 'docs/contract.md 8' });
const message = { body: json(newMessage), answer: json(results(messageRecord)) };

export const conversationOperations: OperationGroup = {
  tag: 'Conversations',
  description: 'Questions and answers, stored per conversation.',
  operations: [
    contractOperation('POST /v3/conversations', {
      name: 'createConversation',
      summary: 'Create a conversation',
      body: json(newConversation),
      isBodyOptional: true,
      answer: json(results(conversationRecord)),
    }),
    contractOperation('GET /v3/conversations', {
      name: 'listConversations',
      summary: 'List conversations, newest first',
      query: idsQuery,
      answer: json(listOf(conversationRecord)),
    }),
    csvExport('POST /v3/conversations/export', {
      name: 'exportConversations',
      summary: 'Export conversations as CSV',
    }),
    csvExport('POST /v3/conversations/export_messages', {
      name: 'exportMessages',
      summary: 'Export messages as CSV',
    }),
    contractOperation('GET /v3/conversations/{id}', {
      name: 'getConversation',
      summary: 'Get the messages of a conversation, oldest first',
      answer: json(listOf(messageRecord)),
    }),
    contractOperation('POST /v3/conversations/{id}', {
      name: 'renameConversation',
      summary: 'Name a conversation',
      body: json(conversationName),
      answer: json(results(conversationRecord)),
    }),
    contractOperation('DELETE /v3/conversations/{id}', {
      name: 'deleteConversation',
      summary: 'Delete a conversation',
      answer: json(success),
    }),
    contractOperation('POST /v3/conversations/{id}/messages', {
      name: 'addMessage',
      summary: 'Add a message',
      ...message,
      examples: { user: { role: 'user', content: 'And in winter?' } },
      failures: [400, 409],
    }),
    contractOperation('POST /v3/conversations/{id}/messages/{messageId}', {
      name: 'updateMessage',
      summary: 'Change a message',
      ...message,
      body: json(messageChange),
      failures: [400],
    }),
  ],
};
