import { signal } from '@preact/signals';
import { readEvents, StreamFailure } from '../../../../client/sse.ts';
import { call, isAway, messageOf, RequestFailure, send } from '../../api/request.ts';
import { setQuery } from '../../router.ts';
import { whileSignedOut } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import { type AnswerState, applyEvent, emptyAnswer } from './answer-state.ts';
import { type AskKind, type AskParameters, askRequest, noScope, type Scope } from './ask-parameters.ts';
import { checkAnswer } from './check-answer.ts';
import { noteConversationChange, tellOtherTabs } from './conversation-changes.ts';
import { keepOnce } from './keep-answer.ts';
import { type KnownRun, rememberRun } from './known-runs.ts';
import { type LoadedConversation, loadConversation } from './load-conversation.ts';
import { createRenderScheduler } from './render-scheduler.ts';
import { createSpeaker } from './speaker.ts';
import { storeQuestion, storeRun } from './store-question.ts';

/** A question with its answer. */
export interface Turn {
  readonly key: string;
  readonly question: string;
  readonly kind: AskKind;
  readonly scope: Scope;
  readonly answer: AnswerState;
  /** Present while it is being answered. */
  readonly run?: KnownRun;
  readonly isStopping?: boolean;
  readonly isReconnecting?: boolean;
  readonly isChecking?: boolean;
}

/** State of the view: the turns of a conversation, or none. */
export interface Thread {
  readonly conversation: string;
  readonly turns: readonly Turn[];
  readonly load: 'loading' | 'loaded' | { readonly error: unknown };
}

const emptyThread: Thread = { conversation: '', turns: [], load: 'loaded' };

export const thread = signal<Thread>(emptyThread);

/** Reconnection attempts with exponential back-off: one minute in total. */
const ATTEMPTS = 8;

let reading = new AbortController();
let keys = 0;

export const isOpen = ({ phase }: AnswerState): boolean => phase === 'waiting' || phase === 'streaming';

/** Clears the view; a run in progress continues in the service. */
export function clearThread(): void {
  reading.abort();
  reading = new AbortController();
  thread.value = emptyThread;
}

/** Opens a conversation and resumes the answer being generated in it. */
export async function openConversation(id: string): Promise<void> {
  clearThread();
  const { signal } = reading;
  thread.value = { conversation: id, turns: [], load: 'loading' };
  try {
    show(id, await loadConversation(id, signal));
  } catch (error) {
    if (!signal.aborted) thread.value = { conversation: id, turns: [], load: { error } };
  }
}

/** Shows what another tab or device has added to the conversation, unless an answer is being generated here. */
export async function refreshConversation(): Promise<void> {
  const { conversation, turns, load } = thread.value;
  if (conversation === '' || load !== 'loaded' || turns.some(isBusy)) return;
  const { signal } = reading;
  try {
    const loaded = await loadConversation(conversation, signal);
    if (thread.value.turns === turns) show(conversation, loaded, turns);
  } catch (error) {
    // Without a connection, what is shown stays.
    if (!signal.aborted && isGone(error)) thread.value = { conversation, turns: [], load: { error } };
  }
}

const isBusy = ({ answer, isChecking }: Turn): boolean => isOpen(answer) || isChecking === true;

/** Shows a loaded conversation. Turns that are shown already keep their checked citations. */
function show(id: string, { turns, run }: LoadedConversation, shown: readonly Turn[] = []): void {
  const loaded = turns.map((stored, index): Turn => {
    const before = shown[index];
    const answer = stored.answer ?? { ...emptyAnswer, phase: 'stopped' };
    // What was received of an answer that was not stored stays.
    const isSame =
      before?.question === stored.question && (stored.answer === undefined || before.answer.text === answer.text);
    return isSame ? before : { key: stored.id, question: stored.question, kind: 'agent', scope: noScope, answer };
  });
  const last = loaded.at(-1);
  if (run !== undefined && last !== undefined) {
    thread.value = { conversation: id, turns: loaded.slice(0, -1), load: 'loaded' };
    resume(run, last.question);
  } else {
    // A question that did not reach the service is not stored.
    thread.value = { conversation: id, turns: [...loaded, ...shown.slice(loaded.length)], load: 'loaded' };
  }
}

/** Appends a question to the thread and streams its answer. */
export async function ask(parameters: AskParameters, replacing?: string): Promise<void> {
  const { turns, load, conversation: open } = thread.value;
  const turn = newTurn(parameters.ask, parameters.kind, parameters.scope);
  thread.value = {
    // A conversation that was deleted meanwhile is followed by a new one.
    conversation: typeof load === 'object' && isGone(load.error) ? '' : open,
    load: 'loaded',
    turns: [...turns.filter(({ key }) => key !== replacing), turn],
  };
  const { signal } = reading;
  try {
    const { kind, ask: question } = parameters;
    // The service stores the questions of agents itself.
    const stored = kind === 'answer' ? await storeQuestion(question, thread.value.conversation, signal) : undefined;
    const conversation = stored?.conversation ?? thread.value.conversation;
    showConversation(conversation);
    const { path, body } = askRequest(parameters.ask, { ...parameters, conversation });
    const response = await send(path, { method: 'POST', body, signal });
    const id = response.headers.get('X-Conversation-Id') ?? conversation;
    const run: KnownRun = {
      run: response.headers.get('X-Run-Id') ?? '',
      kind: parameters.kind,
      conversation: id,
      asOf: parameters.scope.asOf,
    };
    rememberRun(run);
    if (stored !== undefined) void storeRun(stored, run);
    update(turn.key, () => ({ run }));
    showConversation(id);
    tellOtherTabs(id);
    const started = turnOf(turn.key);
    // It was stopped before there was a run to cancel.
    if (started?.isStopping === true) void stop(started);
    await follow(turn.key, response, run, signal);
  } catch (error) {
    await failAndKeep(turn.key, error, signal);
  }
}

function showConversation(id: string): void {
  if (id === thread.value.conversation) return;
  thread.value = { ...thread.value, conversation: id };
  setQuery({ conversation: id });
  noteConversationChange(id);
}

/** Replays a run from its beginning and continues with it. */
function resume(known: KnownRun, question: string): void {
  const kind = known.kind === 'answer' || known.kind === 'research' ? known.kind : 'agent';
  const turn = { ...newTurn(question, kind, { ...noScope, asOf: known.asOf }), run: known };
  thread.value = { ...thread.value, turns: [...thread.value.turns, turn] };
  const { signal } = reading;
  send(eventsOf(known.run), { signal })
    .then((response) => follow(turn.key, response, known, signal))
    .catch((error: unknown) => failAndKeep(turn.key, error, signal));
}

const eventsOf = (run: string): string => `/v3/retrieval/runs/${encodeURIComponent(run)}/events`;

async function follow(key: string, response: Response, known: KnownRun, signal: AbortSignal): Promise<void> {
  const reconnect = async (lastEventId: string): Promise<Response> => {
    update(key, () => ({ isReconnecting: true }));
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
    update(key, () => ({ answer, isReconnecting: false }));
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
    if (!signal.aborted) update(key, () => ({ answer, isReconnecting: false }));
    throw error;
  } finally {
    renders.stop();
  }
  if (signal.aborted) return;
  if (answer.phase !== 'done') throw new StreamFailure('stream_broken', texts.ask.broken);
  update(key, ({ run: _, isStopping: __, isReconnecting: ___, ...turn }) => ({ ...turn, answer }), true);
  speaker.finish(answer.text);
  await keepOnce(known, () => checked(key, answer, known.asOf));
  noteConversationChange(known.conversation);
}

/** Checks the citations if the answer came without verdicts. */
async function checked(key: string, answer: AnswerState, asOf: string): Promise<AnswerState> {
  const check = checkAnswer(answer, asOf);
  if (check === undefined) return answer;
  update(key, () => ({ isChecking: true }));
  try {
    const after = await check;
    update(key, () => ({ answer: after, isChecking: false }));
    return after;
  } catch {
    // Chips without a verdict mean "not checked".
    update(key, () => ({ isChecking: false }));
    return answer;
  }
}

/** Finds the quotes of a stored answer, which only names its chunks. */
export async function checkStored({ key, answer, scope, isChecking }: Turn): Promise<void> {
  if (isChecking !== true && !isOpen(answer)) await checked(key, answer, scope.asOf);
}

/** Cancels the answer that is being generated; its stream then reports the cancellation. */
export async function stop({ key, run }: Turn): Promise<void> {
  update(key, () => ({ isStopping: true }));
  if (run === undefined) return;
  await call(`/v3/retrieval/runs/${encodeURIComponent(run.run)}/cancel`, { method: 'POST' }).catch((error: unknown) =>
    fail(key, error, reading.signal),
  );
}

/** Shows that an answer ended early, and stores the part that was shown, so that a reload shows it too. */
async function failAndKeep(key: string, error: unknown, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const run = turnOf(key)?.run;
  fail(key, error, signal);
  // The conversation was deleted elsewhere; another attempt begins a new one.
  if (run === undefined && isGone(error)) thread.value = { ...thread.value, conversation: '' };
  const answer = turnOf(key)?.answer ?? emptyAnswer;
  // A run that is only out of reach may still be completed; a reload then shows all of it.
  const isLost = !isAway(error) && answer.failure?.code !== 'stream_broken';
  if (run !== undefined && isLost) await keepOnce(run, async () => answer);
  noteConversationChange(thread.value.conversation);
}

export const isGone = (error: unknown): boolean => error instanceof RequestFailure && error.status === 404;

const turnOf = (key: string): Turn | undefined => thread.value.turns.find((turn) => turn.key === key);

function fail(key: string, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  const code =
    error instanceof StreamFailure ? error.code : error instanceof RequestFailure ? `status_${error.status}` : '';
  const failed = turnOf(key);
  // A server that is stopped cancels its runs, too.
  const isStopped = code === 'cancelled' && failed?.isStopping === true;
  const message = failed === undefined ? '' : errorMessage(code, error, failed);
  update(
    key,
    ({ run: _, isStopping: __, isReconnecting: ___, ...turn }) => ({
      ...turn,
      answer: isStopped
        ? { ...turn.answer, phase: 'stopped' }
        : { ...turn.answer, phase: 'failed', failure: { code, message } },
    }),
    true,
  );
}

function errorMessage(code: string, error: unknown, { answer: { text }, run }: Turn): string {
  const shown = text === '' ? '' : ` ${texts.ask.arrived}`;
  if (code === 'stream_broken') return texts.ask.broken + shown;
  // Runs are kept in memory, so a restarted server does not know them.
  const isUnknown = code === 'not_found' || code === 'status_404';
  if (isUnknown && run !== undefined) return texts.ask.lost + shown;
  if (isUnknown && thread.value.conversation !== '') return texts.ask.deleted;
  return code === 'cancelled' ? messageOf(error) + shown : messageOf(error);
}

const newTurn = (question: string, kind: AskKind, scope: Scope): Turn => ({
  key: `turn-${++keys}`,
  question,
  kind,
  scope,
  answer: emptyAnswer,
});

/** Updates fields of a turn, or replaces it. */
function update(key: string, change: (turn: Turn) => Partial<Turn>, isWhole = false): void {
  const turns = thread.value.turns.map((turn) => {
    if (turn.key !== key) return turn;
    const changed = change(turn);
    return isWhole ? (changed as Turn) : { ...turn, ...changed };
  });
  thread.value = { ...thread.value, turns };
}
