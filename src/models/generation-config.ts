import type { Json } from '../documents/document.ts';

/** How to generate, docs/contract.md 4.3. Undefined members are left to the provider's default. */
export interface GenerationConfig {
  /** `<provider>/<name>`; undefined means the configured model of the slot. */
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** Longest answer in tokens, thinking included where the provider counts it so. */
  readonly maxTokens?: number;
  readonly extendedThinking?: boolean;
  /** Tokens the model may think. */
  readonly thinkingBudget?: number;
  readonly reasoningEffort?: 'low' | 'medium' | 'high';
  /** A JSON-schema response format in OpenAI's form. */
  readonly responseFormat?: { readonly [key: string]: Json };
  /** Further members of the provider's own request, handed on as they are; none of `RESERVED_MEMBERS`. */
  readonly extra?: { readonly [key: string]: Json };
}

/** Members of a provider's request that are made here: what is asked, of whom, and how the answer comes. */
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
