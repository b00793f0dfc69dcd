import type { ModelSlot } from './model.ts';
import { parseModelName } from './model-name.ts';

export const EXTRACTIVE_MODEL = 'builtin/extractive';

/** Default models per provider, used when its key is set and no model is configured; in order of preference. */
export const DEFAULT_MODELS: Readonly<Record<'openai' | 'anthropic', Readonly<Record<ModelSlot, string>>>> = {
  openai: { quality: 'openai/gpt-6.1-sol', fast: 'openai/gpt-6-luna', reasoning: 'openai/gpt-6.1-sol' },
  anthropic: {
    quality: 'anthropic/claude-sonnet-5-5',
    fast: 'anthropic/claude-haiku-5-5',
    reasoning: 'anthropic/claude-opus-5-5',
  },
};

/** Models configured by the operator. */
export interface NamedModels {
  readonly quality?: string | undefined;
  readonly fast?: string | undefined;
  readonly reasoning?: string | undefined;
}

/**
 * Default model of a slot, in this order: the configured one; the default of the quality model's provider, or the
 * quality model itself if that provider has none; the default of the first configured provider; the extractive model.
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
