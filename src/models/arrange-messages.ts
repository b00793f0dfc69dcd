import { ServiceError } from '../errors.ts';
import { jsonOrText } from '../shared/text.ts';
import type { Message, MessageImage, ToolCall } from './message.ts';

/** A message other than a system message. */
export type Turn =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly MessageImage[] }
  | Extract<Message, { readonly role: 'assistant' }>
  | Extract<Message, { readonly role: 'tool' }>;

export interface ArrangedMessages {
  /** All system messages joined; empty when there are none. */
  readonly system: string;
  /** At least one, none empty; roles alternate except for tool results. */
  readonly turns: readonly Turn[];
}

/**
 * Normalizes a transcript to what every provider accepts: system messages joined at the front, alternating roles, no
 * empty messages, no halves of surrogate pairs. Throws `invalid_request` when nothing is left to answer.
 */
export function arrangeMessages(given: readonly Message[]): ArrangedMessages {
  // Texts that were cut to a length may begin or end within a character, which providers reject as invalid JSON.
  const messages = given.map((message) => ({ ...message, text: message.text.toWellFormed() }));
  const system = messages
    .filter((message) => message.role === 'system' && message.text.trim() !== '')
    .map((message) => message.text)
    .join('\n\n');
  const turns: Turn[] = [];
  for (const message of messages) {
    const turn = toTurn(message);
    if (turn === undefined || isEmpty(turn)) continue;
    const joined = join(turns.at(-1), turn);
    if (joined === undefined) turns.push(turn);
    else turns[turns.length - 1] = joined;
  }
  if (turns.length > 0) return { system, turns };
  if (system === '') {
    throw new ServiceError('invalid_request', 'There is nothing to answer: every message is empty.');
  }
  return { system: '', turns: [{ role: 'user', text: system }] };
}

function toTurn(message: Message): Turn | undefined {
  return message.role === 'system' ? undefined : message;
}

const isEmpty = (turn: Turn): boolean =>
  turn.role !== 'tool' &&
  turn.text.trim() === '' &&
  (turn.role === 'user' ? (turn.images ?? []).length === 0 : (turn.toolCalls ?? []).length === 0);

function join(last: Turn | undefined, next: Turn): Turn | undefined {
  if (last?.role === 'user' && next.role === 'user') {
    const images = [...(last.images ?? []), ...(next.images ?? [])];
    return { role: 'user', text: `${last.text}\n\n${next.text}`, ...(images.length > 0 && { images }) };
  }
  if (last?.role === 'assistant' && next.role === 'assistant' && (last.toolCalls ?? []).length === 0) {
    const thinking = [...(last.thinking ?? []), ...(next.thinking ?? [])];
    const text = [last.text, next.text].filter((part) => part !== '').join('\n\n');
    return { ...next, text, ...(thinking.length > 0 && { thinking }) };
  }
  return undefined;
}

/** Arguments as a JSON object, as all providers require, even when the model wrote something else. */
export function argumentsObject({ arguments: value }: ToolCall): Record<string, unknown> {
  if (typeof value === 'string') return { invalid_json: value };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  return value === undefined || value === null ? {} : { value };
}

/** Parses streamed arguments; the text itself when it is not JSON. Empty text means no arguments. */
export const readArguments = (json: string): unknown => (json.trim() === '' ? {} : jsonOrText(json));
