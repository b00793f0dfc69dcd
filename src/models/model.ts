import type { Json } from '../documents/document.ts';
import type { GenerationConfig } from './generation-config.ts';
import type { Message, ThinkingBlock, ToolCall } from './message.ts';

/** A tool as declared to a model; `inputSchema` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: Json };
}

/** Whether quotations answer the question, are only the closest passages, or there are none. */
export type QuoteSupport = 'answer' | 'closest' | 'none';

/** Token counts. `input` includes `cachedInput`, `output` includes `reasoning`. */
export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly reasoning: number;
}

/** The usage of what called no model. */
export const noUsage: Usage = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** `none` forbids calls but keeps the tools declared, which transcripts with calls require; default `auto`. */
  readonly toolChoice?: 'auto' | 'none';
  readonly config: GenerationConfig;
  readonly signal: AbortSignal;
}

export type StopReason = 'end' | 'tool_calls' | 'length' | 'refusal';

export type ModelEvent =
  /** Before all others, each time the provider asks to wait; it is asked again after that time. */
  | { readonly type: 'waiting'; readonly seconds: number }
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  /** A completed block of thinking, to be sent back with its assistant message. */
  | { readonly type: 'thinking_block'; readonly block: ThinkingBlock }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  /**
   * Last event, exactly once, unless the stream throws. `model` is the provider-qualified name; `snapshot` is the exact
   * version reported by the provider, if any.
   */
  | {
      readonly type: 'stop';
      readonly reason: StopReason;
      readonly usage: Usage;
      readonly model: string;
      readonly snapshot?: string;
      /** Extractive answers only. */
      readonly support?: QuoteSupport;
    };

/**
 * A language model. Throws ServiceError: `provider_failed`, `rate_limited` (with retryAfter), `timeout`, `cancelled`,
 * `not_configured`. Aborting `signal` closes the provider's stream.
 */
export interface Model {
  /** Provider-qualified. */
  readonly name: string;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Purpose of a model; each slot is configured separately. */
export type ModelSlot = 'quality' | 'fast' | 'reasoning';

export interface ModelRegistry {
  /** Resolves a name, or the configured model of the slot. Throws `unknown_model` or `not_configured`. */
  resolve(name: string | undefined, slot: ModelSlot): Model;
  /** Name of the model that `resolve(undefined, slot)` returns; `builtin/extractive` without a provider. */
  defaultName(slot: ModelSlot): string;
}
