import { ServiceError } from '../errors.ts';
import { anthropicClient, anthropicModel } from './anthropic/anthropic-model.ts';
import { defaultModelName, EXTRACTIVE_MODEL, type NamedModels } from './default-models.ts';
import type { Model, ModelRegistry } from './model.ts';
import { parseModelName } from './model-name.ts';
import { openAiModel } from './openai/openai-model.ts';
import { openAiClient } from './openai/openai-provider.ts';
import { configuredProviders, findProvider, type Provider, type ProviderSettings } from './provider-settings.ts';
import { createRejectedParameters } from './rejected-parameters.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry-policy.ts';
import { SUGGESTED_SETTINGS } from './suggested-settings.ts';
import { type TextToolNames, withTextTools } from './text-tools.ts';
import { defaultTimeLimits, type TimeLimits } from './watch-stream.ts';
import {
  createStreamSlots,
  DEFAULT_MAX_STREAMS,
  type StreamSlots,
  streamLimits,
  withConcurrencyLimit,
} from './with-concurrency-limit.ts';
import { withFallback } from './with-fallback.ts';
import { withRetry } from './with-retry.ts';

/** Model configuration; a subset of `Config`. */
export interface ModelSettings extends ProviderSettings {
  /** Provider-qualified names; for slots without one, the configured keys decide. */
  readonly models?: (NamedModels & { readonly fallback?: string | undefined }) | undefined;
  /** Model behind `builtin/extractive`, the default without any provider. */
  readonly extractive?: Model | undefined;
  /** Provider-qualified names of models that need the text tool protocol; others are detected. */
  readonly textTools?: readonly string[] | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly timeLimits?: TimeLimits | undefined;
  /** Maximum concurrent streams per provider. */
  readonly concurrency?: number | undefined;
}

/** Creates the registry. Nothing is loaded or connected before a model's first use. */
export function createModelRegistry(settings: ModelSettings): ModelRegistry {
  const providers = configuredProviders(settings);
  const textTools = new Set(settings.textTools);
  const factories = new Map<string, (name: string) => Model>();
  const named = settings.models ?? {};
  const configured = providers.map(({ name }) => name);

  const find = (qualified: string): Model => {
    if (qualified.trim() === EXTRACTIVE_MODEL) return findExtractive(settings.extractive);
    const parsed = parseModelName(qualified);
    const provider = findProvider(providers, parsed.provider ?? unprefixed(providers), qualified);
    if (parsed.name === '') {
      throw new ServiceError('unknown_model', `The model name "${qualified}" ends after its provider; add the model.`);
    }
    let factory = factories.get(provider.name);
    if (factory === undefined) {
      factory = createFactory(provider, settings, textTools);
      factories.set(provider.name, factory);
    }
    return factory(parsed.name);
  };

  return {
    // No fallback for a model that the request names; only defaults may fall back.
    resolve(name, slot) {
      if (name !== undefined) return find(name);
      const model = find(defaultModelName(slot, named, configured));
      const { fallback } = named;
      if (fallback === undefined || model === settings.extractive) return model;
      const second = find(fallback);
      return second.name === model.name ? model : withFallback(model, second);
    },
    defaultName: (slot) => defaultModelName(slot, named, configured),
  };
}

/** One client and one queue per provider. */
function createFactory(provider: Provider, settings: ModelSettings, textTools: TextToolNames): (name: string) => Model {
  const slots = createStreamSlots(provider.label, streamLimits(settings.concurrency ?? DEFAULT_MAX_STREAMS));
  const limits = settings.timeLimits ?? defaultTimeLimits;
  const bare = bareModels(provider, limits);
  return (name) => guarded(withTextTools(bare(name), textTools), slots, settings.retry ?? defaultRetryPolicy);
}

function bareModels(provider: Provider, limits: TimeLimits): (name: string) => Model {
  const refusals = createRejectedParameters();
  if (provider.format === 'anthropic') {
    const client = anthropicClient(provider);
    return (name) => anthropicModel(name, { provider, client, limits, rejected: refusals });
  }
  const client = openAiClient(provider);
  return (name) => openAiModel(name, { provider, client, limits, rejected: refusals });
}

// Retry is outermost, so that the slot is released during the pause between tries.
const guarded = (model: Model, slots: StreamSlots, policy: RetryPolicy): Model =>
  withRetry(withConcurrencyLimit(model, slots), policy);

/** Names without a prefix belong to OpenAI, or to the first OpenAI-compatible server. */
const unprefixed = (providers: readonly Provider[]): string =>
  providers.find(({ format, isLocal }) => format === 'openai' && isLocal !== true)?.name ?? 'openai';

function findExtractive(extractive: Model | undefined): Model {
  if (extractive !== undefined) return extractive;
  throw new ServiceError('not_configured', `No language model is configured. Set ${SUGGESTED_SETTINGS}.`);
}
