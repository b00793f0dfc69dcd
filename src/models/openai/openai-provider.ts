import type OpenAI from 'openai';
import type { ProviderIdentity } from '../provider-error.ts';

/** A server with an OpenAI-compatible API. */
export interface OpenAiProvider extends ProviderIdentity {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** True for OpenAI itself, which is called through the Responses API. */
  readonly isOpenAi: boolean;
}

export const OPENAI_URL = 'https://api.openai.com/v1';

/** True for OpenAI's own hosts, including regional ones. */
export function isOpenAiUrl(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? '';
  return host === 'api.openai.com' || host.endsWith('.api.openai.com');
}

/** Loads the SDK lazily, once. SDK retries are disabled, because `with-retry.ts` implements them. */
export function openAiClient(provider: Pick<OpenAiProvider, 'baseUrl' | 'apiKey'>): () => Promise<OpenAI> {
  let client: Promise<OpenAI> | undefined;
  return () => {
    client ??= import('openai').then(
      ({ OpenAI }) =>
        new OpenAI({
          baseURL: provider.baseUrl,
          // Local servers need no key, but the SDK requires one.
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

// Timeouts are enforced by watch-stream.ts; the SDK's own must not fire first.
const SDK_TIMEOUT_MS = 3_600_000;
