import { ServiceError } from '../errors.ts';
import { withoutFinalSlashes } from '../shared/text.ts';
import { ANTHROPIC_URL } from './anthropic/anthropic-model.ts';
import { isOpenAiUrl, OPENAI_URL } from './openai/openai-provider.ts';
import type { ProviderIdentity } from './provider-error.ts';

/** Addresses and keys of providers; a subset of `Config`. */
export interface ProviderSettings {
  readonly openai?: { readonly apiKey?: string | undefined; readonly baseUrl?: string | undefined } | undefined;
  readonly anthropic?: { readonly apiKey?: string | undefined; readonly baseUrl?: string | undefined } | undefined;
  readonly ollama?: { readonly baseUrl?: string | undefined } | undefined;
  /** Additional OpenAI-compatible servers, addressed as `<name>/<model>`. */
  readonly providers?: readonly NamedProvider[] | undefined;
  /** Servers on this machine that need no configuration; configured providers of the same name take precedence. */
  readonly local?: readonly NamedProvider[] | undefined;
}

export interface NamedProvider {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
}

/** A configured provider. */
export interface Provider extends ProviderIdentity {
  readonly format: 'openai' | 'anthropic';
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly isOpenAi: boolean;
  /** True for a server that is not configured; it is used only if a model name selects it. */
  readonly isLocal?: boolean;
}

/** Configured providers in order of preference. */
export function configuredProviders(settings: ProviderSettings): readonly Provider[] {
  const { openai, anthropic, ollama } = settings;
  const providers: Provider[] = [];
  if (openai?.apiKey !== undefined || openai?.baseUrl !== undefined) {
    const baseUrl = openai.baseUrl ?? OPENAI_URL;
    const isOpenAi = isOpenAiUrl(baseUrl);
    // OpenAI itself requires a key; a self-hosted server may not.
    if (!isOpenAi || openai.apiKey !== undefined) {
      providers.push({
        ...describe('openai', isOpenAi ? 'OpenAI' : 'The server at OPENAI_BASE_URL', baseUrl, openai.apiKey),
        format: 'openai',
        isOpenAi,
      });
    }
  }
  if (anthropic?.apiKey !== undefined) {
    providers.push({
      ...describe('anthropic', 'Anthropic', anthropic.baseUrl ?? ANTHROPIC_URL, anthropic.apiKey),
      format: 'anthropic',
      isOpenAi: false,
    });
  }
  if (ollama?.baseUrl !== undefined) {
    providers.push({
      ...describe('ollama', 'Ollama', withVersionPath(ollama.baseUrl), undefined),
      format: 'openai',
      isOpenAi: false,
    });
  }
  for (const { name, baseUrl, apiKey } of settings.providers ?? []) {
    providers.push({
      ...describe(name.toLowerCase(), `The provider "${name}"`, baseUrl, apiKey),
      format: 'openai',
      isOpenAi: isOpenAiUrl(baseUrl),
    });
  }
  for (const { name, baseUrl } of settings.local ?? []) {
    if (providers.some((provider) => provider.name === name)) continue;
    providers.push({
      ...describe(name, `The server at ${baseUrl}`, baseUrl, undefined),
      format: 'openai',
      isOpenAi: false,
      isLocal: true,
    });
  }
  return providers;
}

/**
 * Finds a provider by name. Throws `not_configured`, naming the environment variable, for a known provider without
 * configuration, and `unknown_model`, with the known names, otherwise.
 */
export function findProvider(providers: readonly Provider[], name: string, model: string): Provider {
  const found = providers.find((provider) => provider.name === name);
  if (found !== undefined) return found;
  const missing = BUILT_IN[name];
  if (missing !== undefined) throw new ServiceError('not_configured', `The model "${model}" needs ${missing}.`);
  const known = [...new Set([...Object.keys(BUILT_IN), ...providers.map((provider) => provider.name), 'builtin'])];
  throw new ServiceError(
    'unknown_model',
    `No provider is named "${name}" (asked for "${model}"). Known providers: ${known.join(', ')}. ` +
      'A further OpenAI-compatible one is added with CITEWELL_PROVIDERS=<name>=<url>.',
  );
}

const BUILT_IN: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  ollama: 'OLLAMA_BASE_URL, for example http://127.0.0.1:11434',
};

function describe(
  name: string,
  label: string,
  baseUrl: string,
  apiKey: string | undefined,
): Omit<Provider, 'format' | 'isOpenAi'> {
  const isBuiltIn = name in BUILT_IN;
  const upper = name.toUpperCase().replaceAll('-', '_');
  return {
    name,
    label,
    baseUrl,
    apiKey,
    address: withoutSecrets(baseUrl),
    hasKey: apiKey !== undefined,
    keyVariable: isBuiltIn ? `${upper}_API_KEY` : `CITEWELL_PROVIDER_${upper}_API_KEY`,
    addressVariable: isBuiltIn ? `${upper}_BASE_URL` : 'CITEWELL_PROVIDERS',
  };
}

/** Ollama's address is its root; the OpenAI-compatible API is under `/v1`. */
function withVersionPath(url: string): string {
  const trimmed = withoutFinalSlashes(url);
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

function withoutSecrets(address: string): string {
  const url = URL.parse(address);
  return url === null ? 'its address' : `${url.origin}${url.pathname}`;
}
