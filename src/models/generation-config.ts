import type { Json } from '../documents/document.ts';

/** Generation settings, docs/contract.md 4.3. Undefined members use the provider's defaults. */
export interface GenerationConfig {
  /** `<provider>/<name>`; by default the configured model of the slot. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** Maximum output tokens, including thinking if the provider counts it as output. */
  readonly maxTokens?: number;
  readonly extendedThinking?: boolean;
  /** Maximum thinking tokens. */
  readonly thinkingBudget?: number;
  readonly reasoningEffort?: 'low' | 'medium' | 'high';
  /** JSON Schema response format in OpenAI's notation. */
  readonly responseFormat?: { readonly [key: string]: Json };
  /** Further members of the provider's request, passed through; none of `RESERVED_MEMBERS`. */
  readonly extra?: { readonly [key: string]: Json };
}

/** Request members that callers must not set, because Citewell builds them. */
export const RESERVED_MEMBERS: readonly string[] = [
  'model',
  'messages',
  'input',
  'instructions',
  'system',
  'prompt',
  'stream',
  'stream_options',
  'n',
  'tools',
  'tool_choice',
  'functions',
  'function_call',
  'store',
  'background',
  'include',
  'previous_response_id',
  'conversation',
];
