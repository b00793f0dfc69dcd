/** An additional OpenAI-compatible provider, addressed as `<name>/<model>`. */
export interface NamedProviderConfig {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
}

/** Variables with the keys of such providers. */
export const PROVIDER_KEY = /^CITEWELL_PROVIDER_([A-Z0-9_]+)_API_KEY$/;
export const keyVariable = (providerName: string): string =>
  `CITEWELL_PROVIDER_${providerName.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/** Adds to each listed provider its key from `CITEWELL_PROVIDER_<NAME>_API_KEY`. */
export function namedProviders(
  list: readonly { readonly name: string; readonly baseUrl: string }[],
  set: Readonly<Record<string, string>>,
): NamedProviderConfig[] {
  return list.map(({ name, baseUrl }) => {
    const apiKey = set[keyVariable(name)];
    return { name, baseUrl, ...(apiKey !== undefined && { apiKey }) };
  });
}
