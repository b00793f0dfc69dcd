import {
  conversationName,
  conversationRecord,
  messageChange,
  messageRecord,
  newConversation,
  newMessage,
} from '../../wire/conversation-record.ts';
import { exportRequest } from '../../wire/export-request.ts';
import { idsQuery } from '../../wire/query.ts';
import { listOf, results, success } from '../../wire/record-parts.ts';
import { csv, json, type OperationGroup, operation } from '../operation.ts';

const section = 'docs/contract.md 8';
const message = { body: json(newMessage), answer: json(results(messageRecord)) };

export const conversationOperations: OperationGroup = {
  tag: 'Conversations',
  description: 'Questions and answers, stored per conversation.',
  operations: [
    operation('POST /v3/conversations', {
      name: 'createConversation',
      summary: 'Begin a conversation',
      section,
      body: json(newConversation),
      isBodyOptional: true,
      answer: json(results(conversationRecord)),
    }),
    operation('GET /v3/conversations', {
      name: 'listConversations',
      summary: 'List conversations, newest first',
      section,
      query: idsQuery,
      answer: json(listOf(conversationRecord)),
    }),
    operation('POST /v3/conversations/export', {
      name: 'exportConversations',
      summary: 'Export conversations as CSV',
      section: 'docs/contract.md 6.3',
      body: json(exportRequest),
      isBodyOptional: true,
      answer: csv,
      failures: [400],
    }),
    operation('POST /v3/conversations/export_messages', {
      name: 'exportMessages',
      summary: 'Export messages as CSV',
      section: 'docs/contract.md 6.3',
      body: json(exportRequest),
      isBodyOptional: true,
      answer: csv,
      failures: [400],
    }),
    operation('GET /v3/conversations/{id}', {
      name: 'getConversation',
      summary: 'Get the messages of a conversation, oldest first',
      section,
      answer: json(listOf(messageRecord)),
    }),
    operation('POST /v3/conversations/{id}', {
      name: 'renameConversation',
      summary: 'Name a conversation',
      section,
      body: json(conversationName),
      answer: json(results(conversationRecord)),
    }),
    operation('DELETE /v3/conversations/{id}', {
      name: 'deleteConversation',
      summary: 'Delete a conversation',
      section,
      answer: json(success),
    }),
    operation('POST /v3/conversations/{id}/messages', {
      name: 'addMessage',
      summary: 'Add a message',
      section,
      ...message,
      examples: { user: { role: 'user', content: 'And in winter?' } },
      failures: [400],
    }),
    operation('POST /v3/conversations/{id}/messages/{messageId}', {
      name: 'updateMessage',
      summary: 'Change a message',
      section,
      ...message,
      body: json(messageChange),
      failures: [400],
    }),
  ],
};
