import { ServiceError } from '../errors.ts';
import type { Message, MessageImage, ToolCall } from './message.ts';

/** A message that is no instruction. */
export type Turn =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly MessageImage[] }
  | Extract<Message, { readonly role: 'assistant' }>
  | Extract<Message, { readonly role: 'tool' }>;

export interface ArrangedMessages {
  /** All system messages as one; empty when there are none. */
  readonly system: string;
  /** At least one; no two neighbours of one role but for tool results; none without content. */
  readonly turns: readonly Turn[];
}

/**
 * Puts a transcript into the form every provider takes: instructions first and together, roles taking turns, nothing
 * empty. Throws `invalid_request` when nothing is left to answer.
 */
export function arrangeMessages(messages: readonly Message[]): ArrangedMessages {
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

/** The arguments as the JSON object all providers want back, even when the model wrote something else. */
export function argumentsObject({ arguments: value }: ToolCall): Record<string, unknown> {
  if (typeof value === 'string') return { invalid_json: value };
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  return value === undefined || value === null ? {} : { value };
}

/** Arguments as a model streamed them: parsed, or the text itself when it is no JSON. No text means no arguments. */
export function readArguments(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
