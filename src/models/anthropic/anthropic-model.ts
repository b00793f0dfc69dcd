import type Anthropic from '@anthropic-ai/sdk';
import { providerModel } from '../call-provider.ts';
import type { Model } from '../model.ts';
import type { ProviderIdentity } from '../provider-error.ts';
import type { RejectedParameters } from '../rejected-parameters.ts';
import type { TimeLimits } from '../watch-stream.ts';
import { fromAnthropicEvents } from './from-anthropic-events.ts';
import { type AnthropicRequest, toAnthropicRequest } from './to-anthropic-request.ts';

export const ANTHROPIC_URL = 'https://api.anthropic.com';

export interface AnthropicProvider extends ProviderIdentity {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

export interface AnthropicModelParts {
  readonly provider: AnthropicProvider;
  readonly client: () => Promise<Anthropic>;
  readonly limits: TimeLimits;
  /** Shared by all models of the provider. */
  readonly rejected: RejectedParameters;
}

/** An Anthropic model, or one of a server with a compatible Messages API. */
export const anthropicModel = (name: string, parts: AnthropicModelParts): Model =>
  providerModel(name, parts, {
    toBody: (request) => toAnthropicRequest(name, request),
    open: async (body, { fetch, signal }) =>
      (await parts.client()).withOptions({ fetch }).messages.create(body, { signal, ...versionFor(body) }),
    read: fromAnthropicEvents,
  });

/** Loads the SDK lazily, once. SDK retries are disabled, because `with-retry.ts` implements them. */
export function anthropicClient(provider: Pick<AnthropicProvider, 'baseUrl' | 'apiKey'>): () => Promise<Anthropic> {
  let client: Promise<Anthropic> | undefined;
  return () => {
    client ??= import('@anthropic-ai/sdk').then(
      ({ Anthropic }) =>
        new Anthropic({
          baseURL: provider.baseUrl,
          apiKey: provider.apiKey ?? 'none',
          authToken: null,
          maxRetries: 0,
          timeout: SDK_TIMEOUT_MS,
          logLevel: 'off',
          ...(provider.baseUrl !== ANTHROPIC_URL && { defaultHeaders: compatibleHeaders(provider.apiKey) }),
        }),
    );
    return client;
  };
}

const SAMPLING_VERSION = '2023-06-01';

// The current API version rejects sampling settings for every model; the previous one accepts them for models that
// support them.
const versionFor = (body: AnthropicRequest): { headers?: Record<string, string> } =>
  body.temperature === undefined && body.top_p === undefined
    ? {}
    : { headers: { 'anthropic-version': SAMPLING_VERSION } };

// The SDK sends the key as a bearer token; some compatible servers expect the older header.
const compatibleHeaders = (apiKey: string | undefined): Record<string, string> => ({
  'x-api-key': apiKey ?? 'none',
  'anthropic-version': SAMPLING_VERSION,
});

// Timeouts are enforced by watch-stream.ts; the SDK's own must not fire first.
const SDK_TIMEOUT_MS = 3_600_000;
