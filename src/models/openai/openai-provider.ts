import type OpenAI from 'openai';
import type { ProviderIdentity } from '../provider-error.ts';

/** A server that speaks OpenAI's formats. */
export interface OpenAiProvider extends ProviderIdentity {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** True for OpenAI itself: there the Responses API is spoken and its models' peculiarities are known. */
  readonly isOpenAi: boolean;
}

export const OPENAI_URL = 'https://api.openai.com/v1';

/** True for OpenAI's own hosts, regional ones included. */
export function isOpenAiUrl(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'api.openai.com' || host.endsWith('.api.openai.com');
}

/** Loads the SDK on the first call, and once. Its own retries are off: `with-retry.ts` has the one policy. */
export function openAiClient(provider: Pick<OpenAiProvider, 'baseUrl' | 'apiKey'>): () => Promise<OpenAI> {
  let client: Promise<OpenAI> | undefined;
  return () => {
    client ??= import('openai').then(
      ({ OpenAI }) =>
        new OpenAI({
          baseURL: provider.baseUrl,
          // Local servers want no key, but the SDK insists on one.
          apiKey: provider.apiKey ?? 'none',
          adminAPIKey: null,
          maxRetries: 0,
          timeout: SDK_TIMEOUT_MS,
          logLevel: 'off',
        }),
    );
    return client;
  };
}

// Time limits are kept by watch-stream.ts; the SDK's own must not come first.
const SDK_TIMEOUT_MS = 3_600_000;
