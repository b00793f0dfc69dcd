import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Message } from '../../models/message.ts';
import { explainIssue } from '../../shared/explain-issue.ts';
import { invalidField } from '../check-shape.ts';
import { readChatModel } from './chat-model.ts';
import { type ChatCall, effortOf, questionOf, reasoningEffort } from './chat-request.ts';
import { responseTools, toClientTools, toolChoice, toToolSpec } from './client-tools.ts';
import { parseToolCall } from './message.ts';
import { refusedResponseMembers, verbosityOfText } from './openai-members.ts';
import { detailOf, searchMembers, toSearchSettings } from './search-settings.ts';
import { defined, optional } from './tolerant.ts';

/** The part of a Responses request that applies to answering over documents. */
export interface ResponseCall extends Omit<ChatCall, 'wantsUsage'> {
  readonly instructions: string | undefined;
  /** The caller's tools and tool choice as sent, which the response repeats. */
  readonly tools: NonNullable<z.output<typeof responseTools>>;
  readonly toolChoice: 'auto' | 'none';
  readonly metadata: Readonly<Record<string, string>>;
}

const textPart = z.looseObject({ type: z.string(), text: optional(z.string()) }).transform(({ type, text }) => {
  if (text !== undefined && ['input_text', 'output_text', 'text'].includes(type)) return text;
  throw new ServiceError('invalid_request', `An input part of type "${type}" is not supported; send text.`);
});

const content = z.union([z.string(), z.array(textPart).transform((parts) => parts.join('\n'))]);

const item = z.looseObject({ type: optional(z.string()), role: optional(z.string()) });

const inputMessage = z.object({ role: z.enum(['user', 'assistant', 'system', 'developer']), content });

const functionCall = z.object({ call_id: z.string(), name: z.string(), arguments: z.string() });

const functionOutput = z.object({ call_id: z.string(), output: content });

/** Types of input items that are skipped: reasoning, and calls of hosted tools with their results. */
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
 * OpenAI's Responses API over the documents. Nothing is stored, so each request contains its conversation as `input`.
 * Members that would change the answer but are not supported are refused. Members about the caller's account are
 * ignored: `user`, `safety_identifier`, `prompt_cache_…`.
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
    text: optional(z.looseObject({ format: optional(textFormat), verbosity: verbosityOfText })),
    metadata: optional(z.record(z.string(), z.string())),
    tool_choice: toolChoice,
    tools: responseTools,
    parallel_tool_calls: optional(z.boolean()),
    background: optional(z.boolean()),
    previous_response_id: optional(z.string()),
    conversation: optional(z.unknown()),
    prompt: optional(z.unknown()),
    ...refusedResponseMembers,
    ...searchMembers,
  })
  .meta({ id: 'ResponseRequest' })
  .transform((wire): ResponseCall => {
    refuseMembers(wire);
    const { question, earlier, exchange } = questionOf(messagesOf(wire.input, wire.instructions));
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
      clientTools: toClientTools({
        specs: (wire.tools ?? []).map(toToolSpec),
        choice: wire.tool_choice,
        isParallel: wire.parallel_tool_calls,
        exchange,
      }),
      tools: wire.tools ?? [],
      toolChoice: wire.tool_choice ?? 'auto',
      stream: wire.stream ?? false,
      instructions: wire.instructions,
      metadata: wire.metadata ?? {},
    };
  });

function messagesOf(input: string | readonly z.output<typeof item>[], instructions: string | undefined): Message[] {
  const given =
    typeof input === 'string' ? [{ role: 'user' as const, text: input }] : joined(input.flatMap(toMessages));
  return instructions === undefined ? given : [{ role: 'system', text: instructions }, ...given];
}

function toMessages(given: z.output<typeof item>, index: number): Message[] {
  const type = given.type ?? 'message';
  if (type === 'function_call') {
    const { call_id: id, name, arguments: json } = checkItem(functionCall, given, index);
    return [{ role: 'assistant', text: '', toolCalls: [parseToolCall(id, name, json)] }];
  }
  if (type === 'function_call_output') {
    const { call_id: callId, output } = checkItem(functionOutput, given, index);
    return [{ role: 'tool', callId, name: '', text: output, isError: false }];
  }
  if (SKIPPED.test(type)) return [];
  if (type !== 'message') {
    throw invalidField(
      'value_error',
      ['body', 'input', index, 'type'],
      `items of type "${type}" are not supported: nothing is stored here, so send messages with their text`,
    );
  }
  const { role, content: text } = checkItem(inputMessage, given, index);
  return [{ role: role === 'developer' ? 'system' : role, text }];
}

function checkItem<Schema extends z.ZodType>(schema: Schema, given: unknown, index: number): z.output<Schema> {
  const { data, error } = schema.safeParse(given, { error: explainIssue });
  if (error === undefined) return data as z.output<Schema>;
  const { path, message } = error.issues[0] ?? { path: [], message: 'not an item of this type' };
  throw invalidField('value_error', ['body', 'input', index, ...path.map(String)], message);
}

/** Joins the text of an answer and its calls into one message; the wire format has several items. */
function joined(messages: readonly Message[]): Message[] {
  const all: Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (message.role === 'assistant' && message.toolCalls !== undefined && last?.role === 'assistant')
      all[all.length - 1] = { ...last, toolCalls: [...(last.toolCalls ?? []), ...message.toolCalls] };
    else all.push(message);
  }
  return all;
}

const NOT_STORED = 'responses are not stored here; send the whole conversation as input';

function refuseMembers(wire: Readonly<Record<string, unknown>>): void {
  const refused: readonly (readonly [string, boolean, string])[] = [
    ['previous_response_id', wire['previous_response_id'] !== undefined, NOT_STORED],
    ['conversation', wire['conversation'] !== undefined, NOT_STORED],
    ['background', wire['background'] === true, 'answers are not made in the background here; leave it out'],
    ['prompt', wire['prompt'] !== undefined, 'stored prompts of OpenAI do not exist here; send instructions'],
  ];
  for (const [name, isGiven, words] of refused) {
    if (isGiven) throw invalidField('value_error', ['body', name], words);
  }
}
