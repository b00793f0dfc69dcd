import { z } from 'zod';
import type { EarlierMessage } from '../../agent/agent.ts';
import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Message } from '../../models/message.ts';
import type { SearchSettings } from '../../retrieval/search-settings.ts';
import { invalidField } from '../check-shape.ts';
import { type ChatModel, readChatModel } from './chat-model.ts';
import { message } from './message.ts';
import { detailOf, type HitDetail, searchMembers, toSearchSettings } from './search-settings.ts';
import { defined, optional } from './tolerant.ts';

/** The part of a Chat Completions request that applies to answering over documents. */
export interface ChatCall {
  readonly model: ChatModel;
  readonly question: string;
  readonly earlier: readonly EarlierMessage[];
  readonly search: SearchSettings;
  readonly detail: HitDetail;
  readonly generation: GenerationConfig;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
}

const STOP_REFUSED = 'expected no stop sequences: they would cut answers whose citations are checked; leave them out';

/** Passed on to the language model. */
const responseFormat = z
  .union(
    [
      z.object({ type: z.literal('text') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({ name: z.string(), schema: z.record(z.string(), z.json()) }).catchall(z.json()),
      }),
    ],
    { error: 'expected {"type": "text"}, or {"type": "json_schema", "json_schema": {"name": …, "schema": {…}}}' },
  )
  .transform((format) => (format.type === 'text' ? undefined : format));

export const reasoningEffort = optional(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']));

const tokenCount = optional(z.number().int().min(1));

/**
 * Chat Completions over the documents. `search_settings` and its neighbours of docs/contract.md 4.1 are additions. What
 * would change the answer and cannot be honoured (the caller's functions, stop sequences, several choices) is refused;
 * other members without a meaning here are ignored.
 */
export const chatRequest = z
  .object({
    model: z.string().min(1),
    messages: z.array(z.preprocess(developerAsSystem, message)).min(1),
    stream: optional(z.boolean()),
    stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
    temperature: optional(z.number().min(0).max(2)),
    top_p: optional(z.number().min(0).max(1)),
    max_tokens: tokenCount,
    max_completion_tokens: tokenCount,
    reasoning_effort: reasoningEffort,
    n: optional(z.literal(1, { error: 'expected 1: only one answer is supported' })),
    tool_choice: optional(z.unknown()),
    tools: optional(z.unknown()),
    functions: optional(z.unknown()),
    stop: optional(z.union([z.string().max(0), z.array(z.string()).max(0)], { error: STOP_REFUSED })),
    response_format: optional(responseFormat),
    ...searchMembers,
  })
  .transform((wire): ChatCall => {
    refuseForcedCall(wire.tool_choice);
    refuseFunctions(wire);
    const { question, earlier } = questionOf(wire.messages);
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
        maxTokens: wire.max_completion_tokens ?? wire.max_tokens,
        reasoningEffort: effortOf(wire.reasoning_effort),
        responseFormat: wire.response_format,
      }),
      stream: wire.stream ?? false,
      wantsUsage: wire.stream_options?.include_usage ?? false,
    };
  });

/** OpenAI's newer name of the system role. */
function developerAsSystem(value: unknown): unknown {
  const isDeveloper = typeof value === 'object' && value !== null && 'role' in value && value.role === 'developer';
  return isDeveloper ? { ...value, role: 'system' } : value;
}

/** The last message, and those before it. */
export function questionOf(messages: readonly Message[]): Pick<ChatCall, 'question' | 'earlier'> {
  const last = messages.at(-1);
  if (last?.role !== 'user' || last.text.trim() === '') {
    throw new ServiceError('invalid_request', 'The last message must be the question: role "user", with a text.');
  }
  // Results of the caller's own tools are not part of a conversation over documents.
  const earlier = messages
    .slice(0, -1)
    .flatMap((each) => (each.role === 'tool' || each.text === '' ? [] : [{ role: each.role, text: each.text }]));
  return { question: last.text, earlier };
}

export function refuseForcedCall(choice: unknown): void {
  if (choice === undefined || choice === 'auto' || choice === 'none') return;
  throw new ServiceError(
    'invalid_request',
    'tool_choice requires a call of your own functions, which are not supported; remove it.',
  );
}

/** With `tool_choice: "none"` they would not be called anyway. */
function refuseFunctions({ tools, functions, tool_choice: choice }: Readonly<Record<string, unknown>>): void {
  for (const [name, given] of Object.entries({ tools, functions })) {
    if (given === undefined || choice === 'none' || (Array.isArray(given) && given.length === 0)) continue;
    throw invalidField(
      'value_error',
      ['body', name],
      'your own functions cannot be called here, where the agent calls its own tools; leave them out, or send tool_choice "none"',
    );
  }
}

export function effortOf(effort: z.output<typeof reasoningEffort>): GenerationConfig['reasoningEffort'] {
  switch (effort) {
    case 'low':
    case 'medium':
    case 'high':
      return effort;
    case 'minimal':
      return 'low';
    case 'xhigh':
      return 'high';
    default:
      return undefined;
  }
}
