import { call, isAway, RequestFailure } from '../../api/request.ts';
import { inTurn } from '../../in-turn.ts';
import type { AnswerState } from './answer-state.ts';
import { forgetRun, type KnownRun } from './known-runs.ts';
import { type StoredMessage, toMetadata, toTurns } from './stored-turns.ts';

/** Runs what adds to a conversation after what already does, in whatever tab: its messages are stored in order. */
export const inConversation = <Result>(id: string, work: () => Promise<Result>): Promise<Result> =>
  id === '' ? work() : inTurn(`conversation ${id}`, work);

/** Milliseconds in which the browser that started a run stores its answer. Locks only order the tabs of one browser. */
const ELSEWHERE_MS = 5_000;

/**
 * Checks the answer of a run and stores it in its conversation, once, however many tabs and browsers follow the run.
 * Until then, a reload reads it from the run. The service itself stores what an agent wrote.
 */
export async function keepOnce(known: KnownRun, checked: () => Promise<AnswerState>): Promise<void> {
  const { run, kind, conversation, isElsewhere } = known;
  const answer = isElsewhere === true ? await checked() : undefined;
  if (kind === 'answer' && answer !== undefined) await new Promise((resolve) => setTimeout(resolve, ELSEWHERE_MS));
  await inConversation(conversation, async () => {
    if (kind !== 'answer' || (await keep(conversation, answer ?? (await checked()), run))) forgetRun(run);
  });
}

/** Returns false if it has to be stored later, because the server is away or asks for a sign-in. */
async function keep(conversation: string, answer: AnswerState, run: string): Promise<boolean> {
  if (conversation === '' || answer.text.trim() === '') return true;
  const address = `/v3/conversations/${conversation}`;
  const body = { role: 'assistant', content: answer.text, metadata: toMetadata(answer) };
  try {
    const last = toTurns(await call<readonly StoredMessage[]>(address)).at(-1);
    // The question of another run may have been stored meanwhile.
    const isOpen = last?.answer === undefined && (last?.run === undefined || last.run.id === run);
    // Another browser may store the answer at the same time: the service takes one of them and refuses the other.
    const once = last === undefined ? {} : { parent_id: last.id, only_answer: true };
    if (isOpen) await call(`${address}/messages`, { method: 'POST', body: { ...body, ...once } });
    return true;
  } catch (error) {
    // A failure to store the answer must not prevent it from being shown.
    return !(isAway(error) || (error instanceof RequestFailure && error.status === 401));
  }
}
