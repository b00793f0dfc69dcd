import type { AgentEvent, RunEnd } from '../../agent/agent-event.ts';
import type { StopReason, Usage } from '../../models/model.ts';
import type { RagEvent } from '../../rag/rag-event.ts';
import type { ServerSentEvent } from '../sse.ts';
import { type Annotated, toAnnotations } from './annotations.ts';
import { toUsage } from './completion.ts';

/** What a chat's answer is once it is whole, whoever gave it. */
export interface ChatAnswer {
  readonly text: string;
  readonly citations: readonly Annotated[];
  readonly finish: 'stop' | 'length' | 'content_filter';
  readonly usage: Usage;
  /** The language model that wrote it; `builtin/extractive` when none did. */
  readonly languageModel: string;
}

/** What of an event a chat shows: text, thinking, and the answer that ends it. */
export type ChatPart =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: ChatAnswer };

/** What an agent says before it calls a tool is text like the rest; the answer itself is its last turn. */
export async function* fromAgent(events: AsyncIterable<AgentEvent>): AsyncGenerator<ChatPart, void> {
  for await (const event of events) {
    if (event.type === 'thinking') yield { type: 'thinking', text: event.text };
    else if (event.type === 'message') yield { type: 'text', text: event.text };
    else if (event.type === 'final_answer') {
      const { text, citations, ended, spent, model } = event.answer;
      yield {
        type: 'answer',
        answer: { text, citations, finish: finishOf(ended), usage: spent, languageModel: model },
      };
    }
  }
}

export async function* fromRag(events: AsyncIterable<RagEvent>): AsyncGenerator<ChatPart, void> {
  for await (const event of events) {
    if (event.type === 'thinking') yield { type: 'thinking', text: event.text };
    else if (event.type === 'message') yield { type: 'text', text: event.text };
    else if (event.type === 'final_answer') {
      const { text, citations, stopReason, usage, model } = event.answer;
      yield { type: 'answer', answer: { text, citations, finish: finishOf(stopReason), usage, languageModel: model } };
    }
  }
}

/** Limits of a request end an answer early, as a limit of tokens does. */
function finishOf(ended: RunEnd | StopReason): ChatAnswer['finish'] {
  if (ended === 'end' || ended === 'tool_calls') return 'stop';
  return ended === 'refusal' ? 'content_filter' : 'length';
}

interface Named {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** As the caller asked for it. */
  readonly model: string;
  /** Where this server is reached, for the addresses of documents. */
  readonly origin: string;
}

/** OpenAI's `chat.completion`, with the citations as annotations of its message. */
export function toChatCompletion(answer: ChatAnswer, { id, created, model, origin }: Named) {
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
          content: answer.text,
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
 * The same as `chat.completion.chunk`s: text as it comes, then the annotations, then the reason of the end. Thinking is
 * in `reasoning_content`, where the front ends that show it look.
 */
export async function* toChatChunks(
  parts: AsyncIterable<ChatPart>,
  { origin, ...named }: Named,
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
  let said = '';
  let hasBegun = false;
  for await (const part of parts) {
    if (!hasBegun) yield chunk({ role: 'assistant', content: '' });
    hasBegun = true;
    if (part.type === 'thinking') yield chunk({ reasoning_content: part.text });
    if (part.type === 'text') {
      yield chunk({ content: part.text });
      said += part.text;
    }
    if (part.type !== 'answer') continue;
    const { text, citations, finish, usage, languageModel } = part.answer;
    if (!said.includes(text)) {
      const rest = said === '' ? text : `\n\n${text}`;
      yield chunk({ content: rest });
      said += rest;
    }
    // The reader has put together all that was said; the answer's own offsets begin where the answer does.
    const annotations = toAnnotations(moved(citations, said.lastIndexOf(text)), origin);
    if (annotations.length > 0) yield chunk({ annotations });
    yield chunk({}, finish, { language_model: languageModel });
    if (!wantsUsage) continue;
    yield { event: 'message', data: { ...named, object: 'chat.completion.chunk', choices: [], usage: toUsage(usage) } };
  }
}

const moved = (citations: readonly Annotated[], by: number): readonly Annotated[] =>
  citations.map((citation) => ({
    ...citation,
    spans: citation.spans.map(({ start, end }) => ({ start: start + by, end: end + by })),
  }));
