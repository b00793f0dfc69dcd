import { z } from 'zod';
import type { CitedAnswer } from './from-wire.ts';
import { answerFromWire, deltaFromWire } from './from-wire.ts';
import type { AgentClientEvent, AgentQuery, ConversationMessage } from './questions.ts';
import { toWireQuery } from './search-query.ts';

/** Resources a run has used. */
export interface TurnSpend {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly steps: number;
  readonly seconds: number;
  /** Null when a price is unknown. */
  readonly dollars: number | null;
}

/** An agent's answer as commands show it. */
export interface AgentReply extends CitedAnswer {
  readonly conversationId: string;
  /** `end`, or the limit that ended the run early. */
  readonly stopReason: string;
  /** Sentences of the answer that no cited passage supports. */
  readonly unsupported: readonly string[];
  readonly spent: TurnSpend;
}

export type ShownEvent =
  | { readonly type: 'thinking' | 'text'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly given: object }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    }
  | { readonly type: 'answer'; readonly reply: AgentReply };

const toolCall = z.object({ tool_call_id: z.string(), name: z.string(), arguments: z.looseObject({}) });
const toolResult = z.object({ tool_call_id: z.string(), name: z.string(), content: z.string(), is_error: z.boolean() });
const outcome = z.object({
  conversation_id: z.string(),
  stop_reason: z.string(),
  unsupported_sentences: z.array(z.object({ text: z.string() })),
  usage: z.object({
    input_tokens: z.number(),
    cached_input_tokens: z.number(),
    output_tokens: z.number(),
    steps: z.number(),
    seconds: z.number(),
    cost_usd: z.number().nullable(),
  }),
});

/** The part of an event that a command shows; undefined for events that are not shown. */
export function shownFromWire({ event, data }: AgentClientEvent): ShownEvent | undefined {
  switch (event) {
    case 'thinking':
      return { type: 'thinking', text: deltaFromWire(data) };
    case 'message':
      return { type: 'text', text: deltaFromWire(data) };
    case 'tool_call': {
      const call = toolCall.parse(data);
      return { type: 'tool_call', id: call.tool_call_id, name: call.name, given: call.arguments };
    }
    case 'tool_result': {
      const { tool_call_id: id, name, content, is_error: isError } = toolResult.parse(data);
      return { type: 'tool_result', id, name, content, isError };
    }
    case 'final_answer':
      return { type: 'answer', reply: replyFromWire(data) };
    default:
      return undefined;
  }
}

function replyFromWire(data: unknown): AgentReply {
  const { usage, ...wire } = outcome.parse(data);
  return {
    ...answerFromWire(data),
    conversationId: wire.conversation_id,
    stopReason: wire.stop_reason,
    unsupported: wire.unsupported_sentences.map(({ text }) => text),
    spent: {
      input: usage.input_tokens,
      cachedInput: usage.cached_input_tokens,
      output: usage.output_tokens,
      steps: usage.steps,
      seconds: usage.seconds,
      dollars: usage.cost_usd,
    },
  };
}

/** The request members of an agent query. */
export function toWireAgentQuery({ agentMode, conversationId, model, thinking, budget, ...search }: AgentQuery) {
  return {
    ...toWireQuery(search),
    mode: agentMode,
    ...(conversationId !== undefined && { conversation_id: conversationId }),
    rag_generation_config: { stream: true, ...(model && { model }), ...(thinking && { extended_thinking: true }) },
    budget,
  };
}

const messages = z.array(z.object({ message: z.object({ role: z.string(), content: z.string() }) }));

export const messagesFromWire = (results: unknown): ConversationMessage[] =>
  messages.parse(results).map(({ message }) => message);
