import { signal } from '@preact/signals';
import { readEvents, StreamFailure } from '../../../../client/sse.ts';
import { call, messageOf, RequestFailure, send } from '../../api/request.ts';
import { setQuery } from '../../router.ts';
import { whileSignedOut } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import { type AnswerState, applyEvent, emptyAnswer } from './answer-state.ts';
import { type AskKind, type AskParameters, askRequest, noScope, type Scope } from './ask-parameters.ts';
import { checkAnswer } from './check-answer.ts';
import { forgetRun, type KnownRun, knownRuns, rememberRun } from './known-runs.ts';
import { createSpeaker } from './speaker.ts';
import { toMetadata, toTurns } from './stored-turns.ts';

/** A question with its answer. */
export interface Turn {
  readonly key: string;
  readonly question: string;
  readonly kind: AskKind;
  readonly scope: Scope;
  readonly answer: AnswerState;
  /** Present while it is being answered. */
  readonly run?: string;
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
/** Incremented when the list of conversations must be reloaded. */
export const conversationChanges = signal(0);

/** Minimum milliseconds between two renderings of an answer that is being generated. */
const MIN_INTERVAL = 60;
/** Reconnection attempts with exponential back-off: 15 seconds in total. */
const ATTEMPTS = 6;
const MAX_NAME = 80;

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
    const stored = toTurns(await call(`/v3/conversations/${encodeURIComponent(id)}`, { signal }));
    const turns = stored.map(
      ({ id: key, question, answer }): Turn => ({
        key,
        question,
        kind: 'agent',
        scope: noScope,
        answer: answer ?? { ...emptyAnswer, phase: 'stopped' },
      }),
    );
    thread.value = { conversation: id, turns, load: 'loaded' };
    const known = await openRunOf(id, stored.at(-1)?.question ?? '', signal);
    if (known === undefined) return;
    if (stored.at(-1)?.answer === undefined) {
      thread.value = { ...thread.value, turns: turns.slice(0, -1) };
      resume(known);
    } else forgetRun(known.run);
  } catch (error) {
    if (!signal.aborted) thread.value = { conversation: id, turns: [], load: { error } };
  }
}

/** The unfinished run of a conversation: started in this tab, or reported by the service. */
async function openRunOf(conversation: string, question: string, signal: AbortSignal): Promise<KnownRun | undefined> {
  const known = knownRuns().findLast((run) => run.conversation === conversation);
  if (known !== undefined) return known;
  const runs = await call<readonly { id: string; status: string; conversation_id: string | null }[]>(
    '/v3/retrieval/runs',
    { signal },
  );
  const found = runs.find((run) => run.conversation_id === conversation && run.status === 'running');
  return found && { run: found.id, question, kind: 'agent', conversation, asOf: '' };
}

/** Appends a question to the thread and streams its answer. */
export async function ask(parameters: AskParameters, replacing?: string): Promise<void> {
  const kept = thread.value.turns.filter(({ key }) => key !== replacing);
  const turn = newTurn(parameters.ask, parameters.kind, parameters.scope);
  thread.value = { ...thread.value, load: 'loaded', turns: [...kept, turn] };
  const { signal } = reading;
  try {
    const conversation = await conversationFor(parameters, signal);
    showConversation(conversation);
    const { path, body } = askRequest(parameters.ask, { ...parameters, conversation });
    const response = await send(path, { method: 'POST', body, signal });
    const run = response.headers.get('X-Run-Id') ?? '';
    const id = response.headers.get('X-Conversation-Id') ?? conversation;
    const known: KnownRun = {
      run,
      question: parameters.ask,
      kind: parameters.kind,
      conversation: id,
      asOf: parameters.scope.asOf,
    };
    rememberRun(known);
    update(turn.key, () => ({ run }));
    showConversation(id);
    const started = turnOf(turn.key);
    // It was stopped before there was a run to cancel.
    if (started?.isStopping === true) void stop(started);
    await follow(turn.key, response, known, signal);
  } catch (error) {
    await failAndKeep(turn.key, error, signal);
  }
}

function showConversation(id: string): void {
  if (id === thread.value.conversation) return;
  thread.value = { ...thread.value, conversation: id };
  setQuery({ conversation: id });
  conversationChanges.value++;
}

/** The service stores no conversation for single-search answers, so the page creates one. */
async function conversationFor({ ask: question, kind }: AskParameters, signal: AbortSignal): Promise<string> {
  const { conversation } = thread.value;
  if (kind !== 'answer') return conversation;
  const name = question.replaceAll(/\s+/g, ' ').slice(0, MAX_NAME);
  const id =
    conversation === ''
      ? (await call<{ readonly id: string }>('/v3/conversations', { method: 'POST', body: { name }, signal })).id
      : conversation;
  await call(`/v3/conversations/${id}/messages`, { method: 'POST', body: { role: 'user', content: question }, signal });
  return id;
}

/** Replays a run from its beginning and continues with it. */
function resume(known: KnownRun): void {
  const kind = known.kind === 'answer' || known.kind === 'research' ? known.kind : 'agent';
  const turn = { ...newTurn(known.question, kind, { ...noScope, asOf: known.asOf }), run: known.run };
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
      if (!(error instanceof RequestFailure) || error.status === 0) throw error;
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
    for await (const event of readEvents(response, { reconnect, attempts: ATTEMPTS })) {
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
  if (known.kind === 'answer') await keepAnswer(known.conversation, await checked(key, answer, known.asOf));
  // Until the answer is stored, a reload reads it from the run.
  forgetRun(known.run);
  conversationChanges.value++;
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

async function keepAnswer(conversation: string, answer: AnswerState): Promise<void> {
  if (conversation === '' || answer.text.trim() === '') return;
  const body = { role: 'assistant', content: answer.text, metadata: toMetadata(answer) };
  // A failure to store the answer must not prevent it from being shown.
  await call(`/v3/conversations/${conversation}/messages`, { method: 'POST', body }).catch(() => {});
}

/** Cancels the answer that is being generated; its stream then reports the cancellation. */
export async function stop({ key, run }: Turn): Promise<void> {
  update(key, () => ({ isStopping: true }));
  if (run === undefined) return;
  await call(`/v3/retrieval/runs/${encodeURIComponent(run)}/cancel`, { method: 'POST' }).catch((error: unknown) =>
    fail(key, error, reading.signal),
  );
}

/** Shows that an answer ended early, and stores the part that was shown, so that a reload shows it too. */
async function failAndKeep(key: string, error: unknown, signal: AbortSignal): Promise<void> {
  const { conversation } = thread.value;
  const run = turnOf(key)?.run;
  fail(key, error, signal);
  const turn = signal.aborted ? undefined : turnOf(key);
  // The service itself stores what an agent wrote.
  if (turn?.kind === 'answer') await keepAnswer(conversation, turn.answer);
  if (run !== undefined && !signal.aborted) forgetRun(run);
}

const turnOf = (key: string): Turn | undefined => thread.value.turns.find((turn) => turn.key === key);

function fail(key: string, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  const code =
    error instanceof StreamFailure ? error.code : error instanceof RequestFailure ? `status_${error.status}` : '';
  const isStopped = code === 'cancelled';
  update(
    key,
    ({ run: _, isStopping: __, isReconnecting: ___, ...turn }) => ({
      ...turn,
      answer: isStopped
        ? { ...turn.answer, phase: 'stopped' }
        : { ...turn.answer, phase: 'failed', failure: { code, message: errorMessage(code, error, turn.answer) } },
    }),
    true,
  );
  conversationChanges.value++;
}

function errorMessage(code: string, error: unknown, { text }: AnswerState): string {
  const shown = text === '' ? '' : ` ${texts.ask.arrived}`;
  if (code === 'stream_broken') return texts.ask.broken + shown;
  // Runs are kept in memory, so a restarted server does not know them.
  if (code === 'not_found' || code === 'status_404') return texts.ask.lost + shown;
  return messageOf(error);
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

/** Renders at most once per frame and per MIN_INTERVAL. */
function createRenderScheduler(draw: () => void, signal: AbortSignal) {
  let isDue = false;
  let isOver = false;
  let last = 0;
  const paint = () => {
    isDue = false;
    if (isOver || signal.aborted) return;
    last = performance.now();
    draw();
  };
  return {
    ask(): void {
      if (isDue) return;
      isDue = true;
      const wait = Math.max(0, last + MIN_INTERVAL - performance.now());
      // Background tabs get no animation frames.
      setTimeout(() => (document.hidden ? paint() : requestAnimationFrame(paint)), wait);
    },
    stop(): void {
      isOver = true;
    },
  };
}
