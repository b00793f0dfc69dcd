import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ToolCall } from '../../models/message.ts';
import { annotation, toAnnotations } from './annotations.ts';
import type { ChatAnswer } from './chat-answer.ts';
import { toFunction } from './client-tools.ts';
import { toUsage } from './completion.ts';
import type { ResponseCall } from './response-request.ts';

const status = z.enum(['in_progress', 'completed', 'incomplete', 'failed']);

const flatAnnotation = annotation.shape.url_citation.extend({
  type: z.literal('url_citation'),
  citation: annotation.shape.citation,
});

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(flatAnnotation),
  logprobs: z.array(z.never()),
});

const reasoningItem = z.object({
  id: z.string(),
  type: z.literal('reasoning'),
  summary: z.array(z.never()),
  content: z.array(z.object({ type: z.literal('reasoning_text'), text: z.string() })),
});

const messageItem = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  status,
  content: z.array(outputText),
});

const functionCallItem = z.object({
  id: z.string(),
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status,
});

const responseUsage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

/** OpenAI's `response`. */
export const responseRecord = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int(),
    status,
    background: z.literal(false),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    instructions: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string(),
    output: z.array(z.union([reasoningItem, messageItem, functionCallItem])),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.null(),
    store: z.literal(false),
    temperature: z.number().nullable(),
    top_p: z.number().nullable(),
    tool_choice: z.enum(['auto', 'none']),
    tools: z.array(z.looseObject({ type: z.literal('function'), name: z.string() })),
    usage: responseUsage.nullable(),
    language_model: z
      .string()
      .nullable()
      .describe('The model of the answer; builtin/extractive without a language model.'),
  })
  .meta({ id: 'Response' });

/** One of OpenAI's `response.*` events; `type` is also the name of the server-sent event. */
export const responseEvent = z
  .looseObject({ type: z.string(), sequence_number: z.int(), response: responseRecord.exactOptional() })
  .meta({ id: 'ResponseEvent' });

export type OutputItem = ReturnType<typeof reasoningOf> | ReturnType<typeof messageOf> | ReturnType<typeof callOf>;
export type ResponseRecord = ReturnType<typeof toRecord>;

/** Members common to all events of a response. */
export interface ResponseHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly call: Pick<
    ResponseCall,
    'model' | 'instructions' | 'metadata' | 'generation' | 'clientTools' | 'tools' | 'toolChoice'
  >;
  /** Address of this server, for links to documents. */
  readonly origin: string;
}

export const newId = (kind: 'rs' | 'msg' | 'fc'): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

/** The response in this state, with the items that are complete. */
export function toRecord(
  { id, created, call }: ResponseHead,
  ended: z.output<typeof status>,
  output: readonly OutputItem[],
  answer?: ChatAnswer,
) {
  return {
    id,
    object: 'response' as const,
    created_at: created,
    status: ended,
    background: false,
    error: null as { code: string; message: string } | null,
    incomplete_details: ended === 'incomplete' ? { reason: reasonOf(answer) } : null,
    instructions: call.instructions ?? null,
    metadata: call.metadata,
    model: call.model.name,
    output: [...output],
    parallel_tool_calls: call.clientTools.isParallel,
    previous_response_id: null,
    store: false,
    temperature: call.generation.temperature ?? null,
    top_p: call.generation.topP ?? null,
    tool_choice: call.toolChoice,
    tools: call.tools,
    usage: answer === undefined ? null : toResponseUsage(answer),
    language_model: answer?.languageModel ?? null,
  };
}

const reasonOf = (answer: ChatAnswer | undefined) =>
  answer?.finish === 'content_filter' ? ('content_filter' as const) : ('max_output_tokens' as const);

function toResponseUsage({ usage }: ChatAnswer) {
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } =
    toUsage(usage);
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { ...prompt_tokens_details, cache_write_tokens: 0 },
    output_tokens: completion_tokens,
    output_tokens_details: completion_tokens_details,
    total_tokens,
  };
}

export type FlatAnnotation = ReturnType<typeof annotationsIn>[number];

/** Offsets relative to the streamed text, in which the final answer may begin later. */
export function annotationsIn(streamedText: string, { text, citations }: ChatAnswer, origin: string) {
  const by = streamedText.lastIndexOf(text);
  return toAnnotations(citations, origin).map(({ url_citation: at, citation }) => ({
    type: 'url_citation' as const,
    ...at,
    start_index: at.start_index + by,
    end_index: at.end_index + by,
    citation,
  }));
}

export const reasoningOf = (id: string, text: string | undefined) => ({
  id,
  type: 'reasoning' as const,
  summary: [],
  content: text === undefined ? [] : [{ type: 'reasoning_text' as const, text }],
});

export const messageOf = (
  id: string,
  ended: 'in_progress' | 'completed' | 'incomplete',
  text: string,
  annotations: readonly FlatAnnotation[],
) => ({
  id,
  type: 'message' as const,
  role: 'assistant' as const,
  status: ended,
  content: [outputTextOf(text, annotations)],
});

export const callOf = (call: ToolCall) => ({
  id: newId('fc'),
  type: 'function_call' as const,
  call_id: call.id,
  ...toFunction(call),
  status: 'completed' as const,
});

export const outputTextOf = (text: string, annotations: readonly FlatAnnotation[]) => ({
  type: 'output_text' as const,
  text,
  annotations: [...annotations],
  logprobs: [],
});
