import type { Json } from '../documents/document.ts';
import type { GenerationConfig } from './generation-config.ts';
import type { Message, ThinkingBlock, ToolCall } from './message.ts';

/** What a model is told of a tool; `inputSchema` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly [key: string]: Json };
}

/** Whether quotations answer a question, are the closest passages and may not, or there are none. */
export type QuoteSupport = 'answer' | 'closest' | 'none';

/** Tokens. `input` counts all input, `cachedInput` the part of it read from a cache, `output` includes `reasoning`. */
export interface Usage {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** `none` forbids calls while the tools stay declared, as transcripts with calls require; default `auto`. */
  readonly toolChoice?: 'auto' | 'none';
  readonly config: GenerationConfig;
  readonly signal: AbortSignal;
}

export type StopReason = 'end' | 'tool_calls' | 'length' | 'refusal';

export type ModelEvent =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  /** A finished block of thinking, to be sent back with the assistant message it belongs to. */
  | { readonly type: 'thinking_block'; readonly block: ThinkingBlock }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  /**
   * Always last, exactly once, unless the stream throws. `model` is the provider-qualified name that answered, and
   * `snapshot` the one that the provider itself gave, where it told: with the date of the version, for one.
   */
  | {
      readonly type: 'stop';
      readonly reason: StopReason;
      readonly usage: Usage;
      readonly model: string;
      readonly snapshot?: string;
      /** Of an answer of quotations that was put together without a language model. */
      readonly support?: QuoteSupport;
    };

/**
 * A language model. Throws ServiceError: `provider_failed`, `rate_limited` (with retryAfter), `timeout`, `cancelled`,
 * `not_configured`. Aborting `signal` ends the provider's stream at once.
 */
export interface Model {
  /** Provider-qualified. */
  readonly name: string;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** Which job a model is wanted for; each has its own setting. */
export type ModelSlot = 'quality' | 'fast' | 'reasoning';

export interface ModelRegistry {
  /** The named model, or the slot's configured one. Throws `unknown_model` or `not_configured`. */
  resolve(name: string | undefined, slot: ModelSlot): Model;
  /** What `resolve(undefined, slot)` would answer with, for status lines; `builtin/extractive` with no key. */
  defaultName(slot: ModelSlot): string;
}
