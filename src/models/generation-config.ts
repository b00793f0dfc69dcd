import type { Json } from '../documents/document.ts';

/** How to generate, spec.md 2.5 and r2r-v3.md 4.3. Undefined members are left to the provider's default. */
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
}
