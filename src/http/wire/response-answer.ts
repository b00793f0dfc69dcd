import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { ToolCall } from '../../models/message.ts';
import type { ServerSentEvent } from '../sse.ts';
import { annotation, toAnnotations } from './annotations.ts';
import type { ChatAnswer, ChatPart } from './chat-answer.ts';
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

type OutputItem = ReturnType<typeof reasoningOf> | ReturnType<typeof messageOf> | ReturnType<typeof callOf>;
type ResponseRecord = ReturnType<typeof toRecord>;

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

const newId = (kind: 'rs' | 'msg' | 'fc'): string => `${kind}_${randomUUID().replaceAll('-', '')}`;

/** The complete answer as one response. */
export async function toResponse(parts: AsyncIterable<ChatPart>, head: ResponseHead): Promise<ResponseRecord> {
  let last: ResponseRecord | undefined;
  for await (const { data } of toResponseEvents(parts, head)) {
    if ('response' in data) last = data.response as ResponseRecord;
  }
  if (last !== undefined && last.status !== 'in_progress') return last;
  throw new ServiceError('internal', 'The response ended without an answer.');
}

/**
 * The answer as events: reasoning and text as they are generated, then annotations, then the complete response. The
 * last event is `response.completed`, or `response.incomplete` if a limit or the provider's filter ended the answer. A
 * failure after the first event ends the stream with `response.failed` if `failureOf` is given, and is thrown
 * otherwise.
 */
export async function* toResponseEvents(
  parts: AsyncIterable<ChatPart>,
  head: ResponseHead,
  failureOf?: (thrown: unknown) => ServiceError,
): AsyncGenerator<ServerSentEvent, void> {
  let sequence = 0;
  const event = (type: string, members: object): ServerSentEvent => ({
    event: type,
    data: { type, sequence_number: sequence++, ...members },
  });
  const reasoning = { id: newId('rs'), text: '' };
  const message = { id: newId('msg'), text: '', index: -1 };
  const output: OutputItem[] = [];
  const inReasoning = () => ({ item_id: reasoning.id, output_index: 0, content_index: 0 });
  const inMessage = () => ({ item_id: message.id, output_index: message.index, content_index: 0 });

  function* beginReasoning() {
    const item = reasoningOf(reasoning.id, undefined);
    yield event('response.output_item.added', { output_index: 0, item });
    yield event('response.content_part.added', { ...inReasoning(), part: { type: 'reasoning_text', text: '' } });
  }
  function* endReasoning() {
    const item = reasoningOf(reasoning.id, reasoning.text);
    yield event('response.reasoning_text.done', { ...inReasoning(), text: reasoning.text });
    yield event('response.content_part.done', { ...inReasoning(), part: item.content[0] });
    yield event('response.output_item.done', { output_index: 0, item });
    output.push(item);
  }
  function* beginMessage() {
    if (message.index >= 0) return;
    if (reasoning.text !== '') yield* endReasoning();
    message.index = output.length;
    const item = { ...messageOf(message.id, 'in_progress', '', []), content: [] };
    yield event('response.output_item.added', { output_index: message.index, item });
    yield event('response.content_part.added', { ...inMessage(), part: outputTextOf('', []) });
  }
  function* say(text: string) {
    yield* beginMessage();
    yield event('response.output_text.delta', { ...inMessage(), delta: text, logprobs: [] });
    message.text += text;
  }
  function* endCall(call: ToolCall) {
    const item = callOf(call);
    const inCall = { item_id: item.id, output_index: output.length };
    const added = { ...item, arguments: '', status: 'in_progress' };
    yield event('response.output_item.added', { output_index: output.length, item: added });
    yield event('response.function_call_arguments.delta', { ...inCall, delta: item.arguments });
    const done = { ...inCall, name: item.name, arguments: item.arguments };
    yield event('response.function_call_arguments.done', done);
    yield event('response.output_item.done', { output_index: output.length, item });
    output.push(item);
  }
  function* endMessage(annotations: readonly FlatAnnotation[], ended: 'completed' | 'incomplete') {
    yield* beginMessage();
    for (const [index, each] of annotations.entries()) {
      const added = { ...inMessage(), annotation_index: index, annotation: each };
      yield event('response.output_text.annotation.added', added);
    }
    const item = messageOf(message.id, ended, message.text, annotations);
    yield event('response.output_text.done', { ...inMessage(), text: message.text, logprobs: [] });
    yield event('response.content_part.done', { ...inMessage(), part: item.content[0] });
    yield event('response.output_item.done', { output_index: message.index, item });
    output.push(item);
  }

  function* next(part: ChatPart) {
    // A response has no item for reasoning after the beginning of its message, so that is dropped.
    if (part.type === 'thinking' && message.index < 0) {
      if (reasoning.text === '') yield* beginReasoning();
      reasoning.text += part.text;
      yield event('response.reasoning_text.delta', { ...inReasoning(), delta: part.text });
    }
    if (part.type === 'text') yield* say(part.text);
    if (part.type !== 'answer') return;
    const { answer } = part;
    if (!message.text.includes(answer.text)) yield* say(message.text === '' ? answer.text : `\n\n${answer.text}`);
    const ended = answer.finish === 'stop' || answer.finish === 'tool_calls' ? 'completed' : 'incomplete';
    if (message.text !== '' || answer.calls.length === 0)
      yield* endMessage(annotationsIn(message.text, answer, head.origin), ended);
    else if (reasoning.text !== '') yield* endReasoning();
    for (const each of answer.calls) yield* endCall(each);
    yield event(`response.${ended}`, { response: toRecord(head, ended, output, answer) });
  }

  try {
    for await (const part of parts) {
      if (sequence === 0) {
        const response = toRecord(head, 'in_progress', []);
        yield event('response.created', { response });
        yield event('response.in_progress', { response });
      }
      yield* next(part);
    }
  } catch (thrown) {
    if (sequence === 0 || failureOf === undefined) throw thrown;
    const { code, message: words } = failureOf(thrown);
    const error = { code: code === 'rate_limited' ? 'rate_limit_exceeded' : 'server_error', message: words };
    yield event('response.failed', { response: { ...toRecord(head, 'failed', output), error } });
  }
}

function toRecord(
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

type FlatAnnotation = ReturnType<typeof annotationsIn>[number];

/** Offsets relative to the streamed text, in which the final answer may begin later. */
function annotationsIn(said: string, { text, citations }: ChatAnswer, origin: string) {
  const by = said.lastIndexOf(text);
  return toAnnotations(citations, origin).map(({ url_citation: at, citation }) => ({
    type: 'url_citation' as const,
    ...at,
    start_index: at.start_index + by,
    end_index: at.end_index + by,
    citation,
  }));
}

const reasoningOf = (id: string, text: string | undefined) => ({
  id,
  type: 'reasoning' as const,
  summary: [],
  content: text === undefined ? [] : [{ type: 'reasoning_text' as const, text }],
});

const messageOf = (
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

const callOf = (call: ToolCall) => ({
  id: newId('fc'),
  type: 'function_call' as const,
  call_id: call.id,
  ...toFunction(call),
  status: 'completed' as const,
});

const outputTextOf = (text: string, annotations: readonly FlatAnnotation[]) => ({
  type: 'output_text' as const,
  text,
  annotations: [...annotations],
  logprobs: [],
});
