import { issue } from './config-issues.ts';
import { variableNames } from './config-variables.ts';
import type { FieldIssue } from './errors.ts';
import { editDistance, nearestName } from './nearest-name.ts';

/** An additional OpenAI-compatible provider, addressed as `<name>/<model>`. */
export interface NamedProviderConfig {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
}

const PROVIDER_KEY = /^CITEWELL_PROVIDER_([A-Z0-9_]+)_API_KEY$/;
const keyVariable = (providerName: string): string =>
  `CITEWELL_PROVIDER_${providerName.toUpperCase().replaceAll('-', '_')}_API_KEY`;

/** The listed providers with their keys. */
export function namedProviders(
  list: readonly { readonly name: string; readonly baseUrl: string }[],
  set: Readonly<Record<string, string>>,
): NamedProviderConfig[] {
  return list.map(({ name, baseUrl }) => {
    const apiKey = set[keyVariable(name)];
    return { name, baseUrl, ...(apiKey !== undefined && { apiKey }) };
  });
}

/** Variables of our prefix that mean nothing. One that is nearly ours is an error: what it was to set would be missing. */
export function unknownVariables(set: Readonly<Record<string, string>>): {
  readonly misspelt: readonly FieldIssue[];
  readonly warnings: readonly string[];
} {
  const misspelt: FieldIssue[] = [];
  const warnings: string[] = [];
  for (const name of Object.keys(set)) {
    if (!name.startsWith(PREFIX) || known.has(name) || PROVIDER_KEY.test(name)) continue;
    const nearest = nearestName(name, variableNames);
    const edits = editDistance(name, nearest);
    const isMisspelt = edits <= (name.length - PREFIX.length < LONG_NAME ? 1 : 2);
    if (isMisspelt) misspelt.push(issue(name, `is not a variable of Citewell; did you mean ${nearest}?`));
    else warnings.push(`${name} is not a variable of Citewell and is ignored; the nearest is ${nearest}.`);
  }
  return { misspelt, warnings };
}

const PREFIX = 'CITEWELL_';
/** From this length on, two wrong letters are more likely a slip than another word. */
const LONG_NAME = 5;
const known: ReadonlySet<string> = new Set(variableNames);

/** Variables that are set and do nothing. */
export function warningsFor(
  set: Readonly<Record<string, string>>,
  providers: readonly NamedProviderConfig[],
): readonly string[] {
  const listed = new Set(providers.map(({ name }) => keyVariable(name)));
  const warnings = Object.keys(set).flatMap((name) =>
    PROVIDER_KEY.test(name) && !listed.has(name)
      ? [`${name} names no provider of CITEWELL_PROVIDERS and is ignored.`]
      : [],
  );
  const orphans = ['CHROMA_TOKEN', 'CHROMA_TENANT', 'CHROMA_DATABASE'].filter((name) => name in set);
  if (!('CHROMA_URL' in set)) {
    warnings.push(...orphans.map((name) => `${name} does nothing without CHROMA_URL: the embedded Chroma is used.`));
  }
  if ('CITEWELL_OAUTH_AUDIENCE' in set && !('CITEWELL_OAUTH_ISSUER' in set)) {
    warnings.push('CITEWELL_OAUTH_AUDIENCE does nothing without CITEWELL_OAUTH_ISSUER.');
  }
  return warnings;
}
