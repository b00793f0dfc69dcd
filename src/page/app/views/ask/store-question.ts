import { call } from '../../api/request.ts';
import { inConversation } from './keep-answer.ts';
import type { KnownRun } from './known-runs.ts';
import { runMetadata, type StoredMessage } from './stored-turns.ts';

const MAX_NAME = 80;

export interface StoredQuestion {
  readonly conversation: string;
  /** Id of the message. */
  readonly id: string;
}

/**
 * Stores a question in its conversation, or in a new one. The service stores no conversation for single-search answers,
 * so the page does.
 */
export async function storeQuestion(
  question: string,
  conversation: string,
  signal: AbortSignal,
): Promise<StoredQuestion> {
  const name = question.replaceAll(/\s+/g, ' ').slice(0, MAX_NAME);
  const of =
    conversation === ''
      ? (await call<{ readonly id: string }>('/v3/conversations', { method: 'POST', body: { name }, signal })).id
      : conversation;
  const body = { role: 'user', content: question };
  const { id } = await inConversation(of, () =>
    call<StoredMessage>(`/v3/conversations/${of}/messages`, { method: 'POST', body, signal }),
  );
  return { conversation: of, id };
}

/** Stores with a question which run answers it, so that other browsers can follow it. */
export async function storeRun({ conversation, id }: StoredQuestion, run: KnownRun): Promise<void> {
  const body = { metadata: runMetadata(run) };
  // Without it, only this browser can follow the run.
  await call(`/v3/conversations/${conversation}/messages/${id}`, { method: 'POST', body }).catch(() => undefined);
}
