import { StreamFailure } from '../../../../client/sse.ts';
import { isAway, isGone, messageOf, RequestFailure } from '../../api/request.ts';
import { texts } from '../../texts.ts';
import { emptyAnswer } from './answer-state.ts';
import { noteConversationChange } from './conversation-changes.ts';
import { keepOnce } from './keep-answer.ts';
import { type Turn, thread, turnOf, updateTurn } from './turns.ts';

/** Shows that an answer ended early, and stores the part that was shown, so that a reload shows it too. */
export async function failAndKeep(key: string, error: unknown, signal: AbortSignal): Promise<void> {
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

export function fail(key: string, error: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  const code =
    error instanceof StreamFailure ? error.code : error instanceof RequestFailure ? `status_${error.status}` : '';
  const failed = turnOf(key);
  // A server that is stopped cancels its runs, too.
  const isStopped = code === 'cancelled' && failed?.isStopping === true;
  const message = failed === undefined ? '' : errorMessage(code, error, failed);
  updateTurn(
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
