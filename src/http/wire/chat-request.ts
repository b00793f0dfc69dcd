import { z } from 'zod';
import type { EarlierMessage } from '../../agent/agent.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Message } from '../../models/message.ts';
import type { SearchSettings } from '../../retrieval/search-settings.ts';
import type { ClientTools } from '../../toolbox/client-tools.ts';
import { type ChatModel, readChatModel } from './chat-model.ts';
import { chatTools, splitAtQuestion, toClientTools, toolChoice, toToolSpec } from './client-tools.ts';
import { message } from './message.ts';
import { passThroughFields, passThroughMembers, refusedChatMembers } from './openai-members.ts';
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
  readonly clientTools: ClientTools;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
}

const STOP_REFUSED = 'expected no stop sequences: they would cut answers whose citations are checked; leave them out';

/** Response format, which is passed on to the language model. */
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
 * Chat Completions over the documents. `search_settings` and the related members of docs/contract.md 4.1 are additions.
 * Members that would change the answer but are not supported (forced calls, stop sequences, several choices) are
 * refused. Members about the caller's account are ignored: `user`, `metadata`, `safety_identifier`, `prompt_cache_…`.
 */
export const chatRequest = z
  .object({
    model: z.string().min(1),
    messages: z.array(z.preprocess(developerAsSystem, message)).min(1),
    stream: optional(z.boolean()),
    temperature: optional(z.number().min(0).max(2)),
    top_p: optional(z.number().min(0).max(1)),
    max_tokens: tokenCount,
    max_completion_tokens: tokenCount,
    reasoning_effort: reasoningEffort,
    n: optional(z.literal(1, { error: 'expected 1: only one answer is supported' })),
    tool_choice: toolChoice,
    tools: chatTools,
    parallel_tool_calls: optional(z.boolean()),
    functions: optional(z.array(z.unknown()).max(0, { error: 'expected none: send your functions as tools' })),
    stop: optional(z.union([z.string().max(0), z.array(z.string()).max(0)], { error: STOP_REFUSED })),
    response_format: optional(responseFormat),
    ...passThroughFields,
    ...refusedChatMembers,
    ...searchMembers,
  })
  .transform((wire): ChatCall => {
    const { question, earlier, exchange } = questionOf(wire.messages);
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
        extra: passThroughMembers(wire),
      }),
      clientTools: toClientTools({
        specs: (wire.tools ?? []).map(({ function: given }) => toToolSpec(given)),
        choice: wire.tool_choice,
        isParallel: wire.parallel_tool_calls,
        exchange,
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

/** The last question, the conversation before it, and the calls of the caller's functions that followed it. */
export function questionOf(messages: readonly Message[]) {
  const { before, question, exchange } = splitAtQuestion(messages);
  // Earlier questions have been answered, so the results of function calls for them are dropped.
  const earlier = before.flatMap(({ role, text }) => (role === 'tool' || text === '' ? [] : [{ role, text }]));
  return { question, earlier, exchange };
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
