import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Message } from '../../models/message.ts';
import { invalidField } from '../check-shape.ts';
import { readChatModel } from './chat-model.ts';
import { type ChatCall, effortOf, questionOf, reasoningEffort, refuseForcedCall } from './chat-request.ts';
import { detailOf, searchMembers, toSearchSettings } from './search-settings.ts';
import { defined, optional } from './tolerant.ts';

/** The part of a Responses request that applies to answering over documents. */
export interface ResponseCall extends Omit<ChatCall, 'wantsUsage'> {
  readonly instructions: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

const textPart = z.looseObject({ type: z.string(), text: optional(z.string()) }).transform(({ type, text }) => {
  if (text !== undefined && ['input_text', 'output_text', 'text'].includes(type)) return text;
  throw new ServiceError('invalid_request', `An input part of type "${type}" is not supported; send text.`);
});

const content = z.union([z.string(), z.array(textPart).transform((parts) => parts.join('\n'))]);

const item = z.looseObject({ type: optional(z.string()), role: optional(z.string()) });

const inputMessage = z.object({ role: z.enum(['user', 'assistant', 'system', 'developer']), content });

/** Of earlier answers that were not written here: calls, their results, and reasoning are not part of a conversation. */
const SKIPPED = /^(?:reasoning|compaction|(?:[a-z_]+_)?call|(?:[a-z_]+_)?call_output)$/;

const textFormat = z
  .union(
    [
      z.object({ type: z.literal('text') }),
      z.looseObject({
        type: z.literal('json_schema'),
        name: z.string(),
        schema: z.record(z.string(), z.json()),
        description: optional(z.string()),
        strict: optional(z.boolean()),
      }),
    ],
    { error: 'expected {"type": "text"}, or {"type": "json_schema", "name": …, "schema": {…}}' },
  )
  .transform((format): GenerationConfig['responseFormat'] => {
    if (format.type === 'text') return undefined;
    const { name, schema, description, strict } = format;
    return { type: 'json_schema', json_schema: defined({ name, schema, description, strict }) };
  });

/**
 * OpenAI's Responses API over the documents. Nothing is stored, so each request brings its conversation as `input`. What
 * would change the answer and cannot be honoured is refused; other members without a meaning here are ignored.
 */
export const responseRequest = z
  .object({
    model: z.string().min(1),
    input: z.union([z.string(), z.array(item).min(1)]),
    instructions: optional(z.string()),
    stream: optional(z.boolean()),
    temperature: optional(z.number().min(0).max(2)),
    top_p: optional(z.number().min(0).max(1)),
    max_output_tokens: optional(z.number().int().min(1)),
    /** With a `summary`, the model's reasoning is part of the response. */
    reasoning: optional(z.looseObject({ effort: reasoningEffort, summary: optional(z.string()) })),
    text: optional(z.looseObject({ format: optional(textFormat) })),
    metadata: optional(z.record(z.string(), z.string())),
    tool_choice: optional(z.unknown()),
    tools: optional(z.array(z.looseObject({ type: z.string() }))),
    background: optional(z.boolean()),
    previous_response_id: optional(z.string()),
    conversation: optional(z.unknown()),
    prompt: optional(z.unknown()),
    ...searchMembers,
  })
  .meta({ id: 'ResponseRequest' })
  .transform((wire): ResponseCall => {
    refuseForcedCall(wire.tool_choice);
    refuseMembers(wire);
    const { question, earlier } = questionOf(messagesOf(wire.input, wire.instructions));
    const model = readChatModel(wire.model);
    return {
      model,
      question,
      earlier,
      search: toSearchSettings(wire),
      detail: detailOf(wire),
      generation: defined({
        model: model.languageModel,
        temperature: wire.temperature,
        topP: wire.top_p,
        maxTokens: wire.max_output_tokens,
        reasoningEffort: effortOf(wire.reasoning?.effort),
        extendedThinking: wire.reasoning?.summary === undefined ? undefined : true,
        responseFormat: wire.text?.format,
      }),
      stream: wire.stream ?? false,
      instructions: wire.instructions,
      metadata: wire.metadata ?? {},
    };
  });

function messagesOf(input: string | readonly z.output<typeof item>[], instructions: string | undefined): Message[] {
  const given = typeof input === 'string' ? [{ role: 'user' as const, text: input }] : input.flatMap(toMessages);
  return instructions === undefined ? given : [{ role: 'system', text: instructions }, ...given];
}

function toMessages(given: z.output<typeof item>, index: number): Message[] {
  const type = given.type ?? 'message';
  if (SKIPPED.test(type)) return [];
  if (type !== 'message') {
    throw invalidField(
      'value_error',
      ['body', 'input', index, 'type'],
      `items of type "${type}" are not supported: nothing is stored here, so send messages with their text`,
    );
  }
  const { data, error } = inputMessage.safeParse(given);
  if (error !== undefined) {
    const { path, message } = error.issues[0] ?? { path: [], message: 'not a message' };
    throw invalidField('value_error', ['body', 'input', index, ...path.map(String)], message);
  }
  return [{ role: data.role === 'developer' ? 'system' : data.role, text: data.content }];
}

const NOT_STORED = 'responses are not stored here; send the whole conversation as input';

function refuseMembers(wire: Readonly<Record<string, unknown>>): void {
  const { tools, tool_choice: choice } = wire;
  const refused: readonly (readonly [string, boolean, string])[] = [
    ['previous_response_id', wire['previous_response_id'] !== undefined, NOT_STORED],
    ['conversation', wire['conversation'] !== undefined, NOT_STORED],
    ['background', wire['background'] === true, 'answers are not made in the background here; leave it out'],
    ['prompt', wire['prompt'] !== undefined, 'stored prompts of OpenAI do not exist here; send instructions'],
    [
      'tools',
      choice !== 'none' && Array.isArray(tools) && tools.length > 0,
      'no tools of your own can be called here, where the agent calls its own; leave them out, or send tool_choice "none"',
    ],
  ];
  for (const [name, isGiven, words] of refused) {
    if (isGiven) throw invalidField('value_error', ['body', name], words);
  }
}
