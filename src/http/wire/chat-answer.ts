import { z } from 'zod';
import type { AgentEvent, RunEnd } from '../../agent/agent-event.ts';
import type { ToolCall } from '../../models/message.ts';
import type { StopReason, Usage } from '../../models/model.ts';
import type { RagEvent } from '../../rag/rag-event.ts';
import type { ServerSentEvent } from '../sse.ts';
import { type Annotated, annotation, toAnnotations } from './annotations.ts';
import { toFunction } from './client-tools.ts';
import { tokenUsage, toUsage } from './completion.ts';

const functionCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const chatMembers = { id: z.string(), created: z.int(), model: z.string() };

/** OpenAI's `chat.completion`. */
export const chatCompletion = z
  .object({
    ...chatMembers,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          tool_calls: z.array(functionCall).exactOptional(),
          refusal: z.null(),
          annotations: z.array(annotation),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(['stop', 'length', 'content_filter', 'tool_calls']),
      }),
    ),
    usage: tokenUsage,
    language_model: z.string().describe('The model of the answer; builtin/extractive without a language model.'),
  })
  .meta({ id: 'ChatCompletion' });

/** OpenAI's `chat.completion.chunk`; sent as bare `data: <JSON>` lines, terminated by `data: [DONE]`. */
export const chatChunk = z
  .object({
    ...chatMembers,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.object({
        index: z.int(),
        delta: z.object({
          role: z.literal('assistant').exactOptional(),
          content: z.string().exactOptional(),
          reasoning_content: z.string().exactOptional(),
          tool_calls: z.array(functionCall.extend({ index: z.int() })).exactOptional(),
          annotations: z.array(annotation).exactOptional(),
        }),
        logprobs: z.null(),
        finish_reason: z.string().nullable(),
      }),
    ),
    usage: tokenUsage.nullable().exactOptional(),
    language_model: z.string().exactOptional(),
  })
  .meta({ id: 'ChatChunk' });

/** A complete chat answer. */
export interface ChatAnswer {
  readonly text: string;
  readonly citations: readonly Annotated[];
  readonly finish: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  /** Calls of the caller's functions whose results are needed; `text` is then only the text before the calls. */
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
  /** The language model that wrote it; `builtin/extractive` without one. */
  readonly languageModel: string;
}

/** The parts of a run that a chat shows: text, thinking, and the final answer. */
export type ChatPart =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: ChatAnswer };

/**
 * Holds text back until the final answer is known, because text before a tool call is not part of it, and a reviewed
 * draft may be replaced. Streamed text therefore equals the unstreamed answer.
 */
export async function* fromAgent(events: AsyncIterable<AgentEvent>): AsyncGenerator<ChatPart, void> {
  for await (const event of events) {
    if (event.type === 'thinking') yield { type: 'thinking', text: event.text };
    else if (event.type === 'final_answer') {
      const { text, citations, ended, clientCalls: calls, spent, model } = event.answer;
      const finish = finishOf(ended, calls);
      yield { type: 'answer', answer: { text, citations, finish, calls, usage: spent, languageModel: model } };
    }
  }
}

export async function* fromRag(events: AsyncIterable<RagEvent>): AsyncGenerator<ChatPart, void> {
  for await (const event of events) {
    if (event.type === 'thinking') yield { type: 'thinking', text: event.text };
    else if (event.type === 'message') yield { type: 'text', text: event.text };
    else if (event.type === 'final_answer') {
      const { text, citations, stopReason, clientCalls: calls = [], usage, model } = event.answer;
      const finish = finishOf(stopReason, calls);
      yield { type: 'answer', answer: { text, citations, finish, calls, usage, languageModel: model } };
    }
  }
}

/** OpenAI's finish reason. A run that reached any limit ends with `length`, like one that reached its token limit. */
function finishOf(ended: RunEnd | StopReason, calls: readonly ToolCall[]): ChatAnswer['finish'] {
  if (calls.length > 0) return 'tool_calls';
  if (ended === 'end' || ended === 'tool_calls') return 'stop';
  return ended === 'refusal' ? 'content_filter' : 'length';
}

interface CompletionHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The model name as sent by the caller. */
  readonly model: string;
  /** Address of this server, for links to documents. */
  readonly origin: string;
}

/** OpenAI's `chat.completion`, with the citations as annotations of its message. */
export function toChatCompletion(answer: ChatAnswer, { id, created, model, origin }: CompletionHead) {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' && answer.calls.length > 0 ? null : answer.text,
          ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(toWireCall) }),
          refusal: null,
          annotations: toAnnotations(answer.citations, origin),
        },
        logprobs: null,
        finish_reason: answer.finish,
      },
    ],
    usage: toUsage(answer.usage),
    language_model: answer.languageModel,
  };
}

/**
 * The answer as `chat.completion.chunk`s: text as it is generated, then annotations, then the finish reason. Thinking
 * is sent as `reasoning_content`, the member that front ends display.
 */
export async function* toChatChunks(
  parts: AsyncIterable<ChatPart>,
  { origin, ...named }: CompletionHead,
  wantsUsage: boolean,
): AsyncGenerator<ServerSentEvent, void> {
  const chunk = (delta: object, finish: string | null = null, more: object = {}): ServerSentEvent => ({
    event: 'message',
    data: {
      ...named,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(wantsUsage ? { usage: null } : {}),
      ...more,
    },
  });
  let streamedText = '';
  let hasBegun = false;
  for await (const part of parts) {
    if (!hasBegun) yield chunk({ role: 'assistant', content: '' });
    hasBegun = true;
    if (part.type === 'thinking') yield chunk({ reasoning_content: part.text });
    if (part.type === 'text') {
      yield chunk({ content: part.text });
      streamedText += part.text;
    }
    if (part.type !== 'answer') continue;
    const { text, citations, finish, calls, usage, languageModel } = part.answer;
    if (!streamedText.includes(text)) {
      const rest = streamedText === '' ? text : `\n\n${text}`;
      yield chunk({ content: rest });
      streamedText += rest;
    }
    // Offsets are relative to the final answer, which may begin later in the streamed text.
    const annotations = toAnnotations(withOffset(citations, streamedText.lastIndexOf(text)), origin);
    if (annotations.length > 0) yield chunk({ annotations });
    if (calls.length > 0) yield chunk({ tool_calls: calls.map((call, index) => ({ index, ...toWireCall(call) })) });
    yield chunk({}, finish, { language_model: languageModel });
    if (!wantsUsage) continue;
    yield { event: 'message', data: { ...named, object: 'chat.completion.chunk', choices: [], usage: toUsage(usage) } };
  }
}

const toWireCall = (call: ToolCall) => ({ id: call.id, type: 'function', function: toFunction(call) });

const withOffset = (citations: readonly Annotated[], by: number): readonly Annotated[] =>
  citations.map((citation) => ({
    ...citation,
    spans: citation.spans.map(({ start, end }) => ({ start: start + by, end: end + by })),
  }));
