import { call } from '../../api/request.ts';
import { inConversation } from './keep-answer.ts';

const MAX_NAME = 80;

/**
 * Stores a question in its conversation, or in a new one, and returns its id. The service stores no conversation for
 * single-search answers, so the page does.
 */
export async function storeQuestion(question: string, conversation: string, signal: AbortSignal): Promise<string> {
  const name = question.replaceAll(/\s+/g, ' ').slice(0, MAX_NAME);
  const id =
    conversation === ''
      ? (await call<{ readonly id: string }>('/v3/conversations', { method: 'POST', body: { name }, signal })).id
      : conversation;
  const body = { role: 'user', content: question };
  await inConversation(id, () => call(`/v3/conversations/${id}/messages`, { method: 'POST', body, signal }));
  return id;
}
