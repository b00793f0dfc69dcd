import { signal } from '@preact/signals';
import { type AnswerState, emptyAnswer } from './answer-state.ts';
import type { AskKind, Scope } from './ask-parameters.ts';
import type { KnownRun } from './known-runs.ts';

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

let reading = new AbortController();
let keys = 0;

/** Aborted when another conversation is shown. */
export const readingSignal = (): AbortSignal => reading.signal;

/** Clears the view; a run in progress continues in the service. */
export function clearThread(): void {
  reading.abort();
  reading = new AbortController();
  thread.value = emptyThread;
}

export const isOpen = ({ phase }: AnswerState): boolean => phase === 'waiting' || phase === 'streaming';

export const newTurn = (question: string, kind: AskKind, scope: Scope): Turn => ({
  key: `turn-${++keys}`,
  question,
  kind,
  scope,
  answer: emptyAnswer,
});

export const turnOf = (key: string): Turn | undefined => thread.value.turns.find((turn) => turn.key === key);

/** Updates fields of a turn, or replaces it. */
export function updateTurn(key: string, change: (turn: Turn) => Partial<Turn>, isWhole = false): void {
  const turns = thread.value.turns.map((turn) => {
    if (turn.key !== key) return turn;
    const changed = change(turn);
    return isWhole ? (changed as Turn) : { ...turn, ...changed };
  });
  thread.value = { ...thread.value, turns };
}
