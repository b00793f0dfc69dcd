import { call, isAway, RequestFailure } from '../../api/request.ts';
import { inTurn } from '../../in-turn.ts';
import type { AnswerState } from './answer-state.ts';
import { forgetRun, type KnownRun } from './known-runs.ts';
import { type StoredMessage, toMetadata } from './stored-turns.ts';

/** Runs what adds to a conversation after what already does, in whatever tab: its messages are stored in order. */
export const inConversation = <Result>(id: string, work: () => Promise<Result>): Promise<Result> =>
  id === '' ? work() : inTurn(`conversation ${id}`, work);

/**
 * Checks the answer of a run and stores it in its conversation, once, however many tabs follow the run. Until then, a
 * reload reads it from the run. The service itself stores what an agent wrote.
 */
export const keepOnce = ({ run, kind, conversation }: KnownRun, checked: () => Promise<AnswerState>): Promise<void> =>
  inConversation(conversation, async () => {
    if (kind !== 'answer' || (await keep(conversation, await checked()))) forgetRun(run);
  });

/** Returns false if it has to be stored later, because the server is away or asks for a sign-in. */
async function keep(conversation: string, answer: AnswerState): Promise<boolean> {
  if (conversation === '' || answer.text.trim() === '') return true;
  const address = `/v3/conversations/${conversation}`;
  const body = { role: 'assistant', content: answer.text, metadata: toMetadata(answer) };
  try {
    const last = (await call<readonly StoredMessage[]>(address)).at(-1);
    if (last?.message.role !== 'assistant') await call(`${address}/messages`, { method: 'POST', body });
    return true;
  } catch (error) {
    // A failure to store the answer must not prevent it from being shown.
    return !(isAway(error) || (error instanceof RequestFailure && error.status === 401));
  }
}
