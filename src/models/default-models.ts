import type { ModelSlot } from './model.ts';
import { parseModelName } from './model-name.ts';

export const EXTRACTIVE_MODEL = 'builtin/extractive';

/** What is used when a provider's key is set and no model is named; in the order in which providers are preferred. */
export const DEFAULT_MODELS: Readonly<Record<'openai' | 'anthropic', Readonly<Record<ModelSlot, string>>>> = {
  openai: { quality: 'openai/gpt-6.1-sol', fast: 'openai/gpt-6-luna', reasoning: 'openai/gpt-6.1-sol' },
  anthropic: {
    quality: 'anthropic/claude-sonnet-5-5',
    fast: 'anthropic/claude-haiku-5-5',
    reasoning: 'anthropic/claude-opus-5-5',
  },
};

/** Models named by the operator; all optional. */
export interface NamedModels {
  readonly quality?: string | undefined;
  readonly fast?: string | undefined;
  readonly reasoning?: string | undefined;
}

/**
 * The model of a slot: as named; else the default of the quality model's provider, or the quality model itself where
 * that provider has none; else the default of the first configured provider; else the extractive one.
 */
export function defaultModelName(slot: ModelSlot, named: NamedModels, configured: readonly string[]): string {
  const own = named[slot];
  if (own !== undefined) return own;
  if (named.quality !== undefined) {
    return defaultsOf(parseModelName(named.quality).provider)?.[slot] ?? named.quality;
  }
  return configured.map(defaultsOf).find((defaults) => defaults !== undefined)?.[slot] ?? EXTRACTIVE_MODEL;
}

function defaultsOf(provider: string | undefined): Readonly<Record<ModelSlot, string>> | undefined {
  return provider === 'openai' || provider === 'anthropic' ? DEFAULT_MODELS[provider] : undefined;
}
