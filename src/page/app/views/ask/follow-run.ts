import { readEvents, StreamFailure } from '../../../../client/sse.ts';
import { isAway, RequestFailure, send } from '../../api/request.ts';
import { whileSignedOut } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import { type AnswerState, applyEvent, emptyAnswer } from './answer-state.ts';
import { noScope } from './ask-parameters.ts';
import { checkAnswer } from './check-answer.ts';
import { noteConversationChange } from './conversation-changes.ts';
import { failAndKeep } from './fail-answer.ts';
import { keepOnce } from './keep-answer.ts';
import type { KnownRun } from './known-runs.ts';
import { createRenderScheduler } from './render-scheduler.ts';
import { createSpeaker } from './speaker.ts';
import { isOpen, newTurn, readingSignal, type Turn, thread, updateTurn } from './turns.ts';

/** Reconnection attempts with exponential back-off: one minute in total. */
const ATTEMPTS = 8;

/** Replays a run from its beginning and continues with it. */
export function resume(known: KnownRun, question: string): void {
  const kind = known.kind === 'answer' || known.kind === 'research' ? known.kind : 'agent';
  const turn = { ...newTurn(question, kind, { ...noScope, asOf: known.asOf }), run: known };
  thread.value = { ...thread.value, turns: [...thread.value.turns, turn] };
  const signal = readingSignal();
  send(eventsOf(known.run), { signal })
    .then((response) => follow(turn.key, response, known, signal))
    .catch((error: unknown) => failAndKeep(turn.key, error, signal));
}

const eventsOf = (run: string): string => `/v3/retrieval/runs/${encodeURIComponent(run)}/events`;

export async function follow(key: string, response: Response, known: KnownRun, signal: AbortSignal): Promise<void> {
  const reconnect = async (lastEventId: string): Promise<Response> => {
    updateTurn(key, () => ({ isReconnecting: true }));
    try {
      await whileSignedOut(signal);
      // `send` refreshes an expired session.
      return await send(eventsOf(known.run), { headers: { 'Last-Event-ID': lastEventId }, signal });
    } catch (error) {
      if (!(error instanceof RequestFailure) || isAway(error)) throw error;
      // The user has to sign in; the answer is resumed afterwards.
      if (error.status === 401) return reconnect(lastEventId);
      throw new StreamFailure(`status_${error.status}`, error.message, { cause: error });
    }
  };
  let answer = emptyAnswer;
  const speaker = createSpeaker(signal);
  const renders = createRenderScheduler(() => {
    updateTurn(key, () => ({ answer, isReconnecting: false }));
    speaker.say(answer.text);
  }, signal);
  try {
    // Before the first event, a broken stream is reopened from its beginning.
    const reopening = { reconnect, attempts: ATTEMPTS, lastEventId: `${known.run}:0` };
    for await (const event of readEvents(response, reopening)) {
      if (signal.aborted) return;
      answer = applyEvent(answer, event);
      renders.ask();
    }
  } catch (error) {
    // All that arrived is kept, and no later rendering may replace the state of the answer after it ended early.
    if (!signal.aborted) updateTurn(key, () => ({ answer, isReconnecting: false }));
    throw error;
  } finally {
    renders.stop();
  }
  if (signal.aborted) return;
  if (answer.phase !== 'done') throw new StreamFailure('stream_broken', texts.ask.broken);
  updateTurn(key, ({ run: _, isStopping: __, isReconnecting: ___, ...turn }) => ({ ...turn, answer }), true);
  speaker.finish(answer.text);
  await keepOnce(known, () => checked(key, answer, known.asOf));
  noteConversationChange(known.conversation);
}

/** Checks the citations if the answer came without verdicts. */
async function checked(key: string, answer: AnswerState, asOf: string): Promise<AnswerState> {
  const check = checkAnswer(answer, asOf);
  if (check === undefined) return answer;
  updateTurn(key, () => ({ isChecking: true }));
  try {
    const after = await check;
    updateTurn(key, () => ({ answer: after, isChecking: false }));
    return after;
  } catch {
    // Chips without a verdict mean "not checked".
    updateTurn(key, () => ({ isChecking: false }));
    return answer;
  }
}

/** Finds the quotes of a stored answer, which only names its chunks. */
export async function checkStored({ key, answer, scope, isChecking }: Turn): Promise<void> {
  if (isChecking !== true && !isOpen(answer)) await checked(key, answer, scope.asOf);
}
