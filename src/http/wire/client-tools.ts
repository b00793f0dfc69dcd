import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { Message, ToolCall } from '../../models/message.ts';
import type { ToolSpec } from '../../models/model.ts';
import type { ClientTools } from '../../toolbox/client-tools.ts';
import { invalidField } from '../check-shape.ts';
import { optional } from './tolerant.ts';

const MAX_TOOLS = 128;

const functionMembers = {
  name: z.string().regex(/^[\w-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" and "-"'),
  description: optional(z.string()),
  parameters: optional(z.record(z.string(), z.json())),
};

const functionType = z.literal('function', {
  error: 'expected "function": of the caller\'s tools only functions can be called here',
});

/** `tools` of Chat Completions. */
export const chatTools = optional(
  z.array(z.looseObject({ type: functionType, function: z.looseObject(functionMembers) })).max(MAX_TOOLS),
);

/** `tools` of the Responses API. */
export const responseTools = optional(
  z.array(z.looseObject({ type: functionType, ...functionMembers })).max(MAX_TOOLS),
);

/** Whether the model may call the caller's functions. Calls cannot be forced, because answers come from documents. */
export const toolChoice = optional(
  z.enum(['auto', 'none'], {
    error:
      'expected "auto" or "none": a call of your own functions cannot be forced, since answers here come from the documents',
  }),
);

/** A function of the caller, as declared to a model. */
export function toToolSpec({ name, description, parameters }: z.output<z.ZodObject<typeof functionMembers>>): ToolSpec {
  return { name, description: description ?? '', inputSchema: parameters ?? { type: 'object', properties: {} } };
}

export interface GivenTools {
  readonly specs: readonly ToolSpec[];
  readonly choice: z.output<typeof toolChoice>;
  readonly isParallel: boolean | undefined;
  readonly exchange: readonly Message[];
}

/** Throws `invalid_field` when two functions have the same name. */
export function toClientTools({ specs, choice, isParallel, exchange }: GivenTools): ClientTools {
  for (const [index, { name }] of specs.entries()) {
    if (specs.findIndex((other) => other.name === name) === index) continue;
    throw invalidField('value_error', ['body', 'tools', index], `two functions are named "${name}"`);
  }
  return { specs: choice === 'none' ? [] : specs, exchange, isParallel: isParallel ?? true };
}

/**
 * Splits a conversation at its last question: the messages before it, the question, and the subsequent calls of the
 * caller's functions with their results. Throws `invalid_request` if the conversation ends with anything but a question
 * or results, or if a call has no result.
 */
export function splitAtQuestion(messages: readonly Message[]) {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const question = messages[at];
  const exchange = messages.slice(at + 1);
  const last = exchange.at(-1);
  if (question === undefined || question.text.trim() === '' || (last !== undefined && last.role !== 'tool')) {
    throw new ServiceError(
      'invalid_request',
      'The last message must be the question (role "user", with a text), or the results of the functions it made you call.',
    );
  }
  return { before: messages.slice(0, at), question: question.text, exchange: withNames(exchange) };
}

/** Adds to each result the name of its function, which the wire format omits. */
function withNames(exchange: readonly Message[]): Message[] {
  const open = new Map<string, ToolCall>();
  const named = exchange.map((message): Message => {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) open.set(call.id, call);
    if (message.role !== 'tool') {
      refuseOpen(message.role === 'assistant' ? [] : [...open.keys()]);
      return message;
    }
    const call = open.get(message.callId);
    if (call === undefined) {
      throw new ServiceError(
        'invalid_request',
        `There is a result of "${message.callId}", and no call of that id before it.`,
      );
    }
    open.delete(message.callId);
    return { ...message, name: call.name };
  });
  refuseOpen([...open.keys()]);
  return named;
}

function refuseOpen(ids: readonly string[]): void {
  if (ids.length === 0) return;
  throw new ServiceError('invalid_request', `Send the result of each call; these have none: ${ids.join(', ')}.`);
}

/** A call in the format of both APIs, with its arguments as JSON text. */
export const toFunction = ({ name, arguments: given }: ToolCall) => ({
  name,
  arguments: typeof given === 'string' ? given : JSON.stringify(given),
});
