import { call, isGone, send } from '../../api/request.ts';
import { setQuery } from '../../router.ts';
import { emptyAnswer } from './answer-state.ts';
import { type AskParameters, askRequest, noScope } from './ask-parameters.ts';
import { noteConversationChange, tellOtherTabs } from './conversation-changes.ts';
import { fail, failAndKeep } from './fail-answer.ts';
import { follow, resume } from './follow-run.ts';
import { type KnownRun, rememberRun } from './known-runs.ts';
import { type LoadedConversation, loadConversation } from './load-conversation.ts';
import { storeQuestion, storeRun } from './store-question.ts';
import { clearThread, isOpen, newTurn, readingSignal, type Turn, thread, turnOf, updateTurn } from './turns.ts';

/** Opens a conversation and resumes the answer being generated in it. */
export async function openConversation(id: string): Promise<void> {
  clearThread();
  const signal = readingSignal();
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
  const signal = readingSignal();
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
  const signal = readingSignal();
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
    updateTurn(turn.key, () => ({ run }));
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

/** Cancels the answer that is being generated; its stream then reports the cancellation. */
export async function stop({ key, run }: Turn): Promise<void> {
  updateTurn(key, () => ({ isStopping: true }));
  if (run === undefined) return;
  await call(`/v3/retrieval/runs/${encodeURIComponent(run.run)}/cancel`, { method: 'POST' }).catch((error: unknown) =>
    fail(key, error, readingSignal()),
  );
}
