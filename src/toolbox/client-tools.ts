import type { Message, ToolCall } from '../models/message.ts';
import type { ToolSpec } from '../models/model.ts';
import { fence } from './fence.ts';

/** Functions of the caller. A model may call them; the caller runs them and sends the results in a new request. */
export interface ClientTools {
  readonly specs: readonly ToolSpec[];
  /** What followed the question: the model's calls, each with the caller's result. Empty in the first request. */
  readonly exchange: readonly Message[];
  /** Whether one answer may ask for several calls. */
  readonly isParallel: boolean;
}

export const noClientTools: ClientTools = { specs: [], exchange: [], isParallel: true };

/** The calls that the caller has to run; only the first one unless parallel calls are allowed. */
export function clientCallsIn(calls: readonly ToolCall[], { specs, isParallel }: ClientTools): readonly ToolCall[] {
  const own = calls.filter(({ name }) => specs.some((spec) => spec.name === name));
  return isParallel ? own : own.slice(0, 1);
}

/**
 * The exchange as messages for a model, with the results fenced as untrusted text. Providers reject calls if no tool is
 * declared; in that case the exchange becomes a single user message.
 */
export function exchangeMessages({ exchange, specs }: ClientTools): readonly Message[] {
  const fenced = exchange.map((message) =>
    message.role === 'tool' ? { ...message, text: fence(message.text, 'untrusted') } : message,
  );
  return specs.length > 0 || exchange.length === 0 ? fenced : [{ role: 'user', text: asText(fenced) }];
}

const asText = (exchange: readonly Message[]): string =>
  exchange
    .flatMap((message) => {
      if (message.role === 'tool') return [`Result of ${message.name}:\n${message.text}`];
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
      return [message.text, ...calls.map((call) => `Call of ${call.name}: ${JSON.stringify(call.arguments)}`)];
    })
    .filter((text) => text !== '')
    .join('\n\n');
