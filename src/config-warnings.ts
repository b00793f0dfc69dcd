import { chromaWarnings } from './config-chroma.ts';
import { issue } from './config-issues.ts';
import { variableNames } from './config-variables.ts';
import type { FieldIssue } from './errors.ts';
import { nearestName } from './shared/nearest-name.ts';

/** An additional OpenAI-compatible provider, addressed as `<name>/<model>`. */
export interface NamedProviderConfig {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey?: string;
}

const PROVIDER_KEY = /^CITEWELL_PROVIDER_([A-Z0-9_]+)_API_KEY$/;
const keyVariable = (providerName: string): string =>
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

/** Unknown variables with our prefix are errors, because a misspelled setting would silently have no effect. */
export const unknownVariables = (set: Readonly<Record<string, string>>): FieldIssue[] =>
  Object.keys(set)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !foreign.test(name))
    .filter((name) => !KUBERNETES.test(`${name}=${set[name]}`))
    .map((name) => issue(name, `is not a variable of Citewell; did you mean ${nearestName(name, variableNames)}?`));

const PREFIX = 'CITEWELL_';
/**
 * Names with our prefix that are not in the schema: keys of providers (see `warningsFor`), the variables in which
 * clients keep their key, credentials of sources, and variables of the tests.
 */
const foreign = new RegExp(`${PROVIDER_KEY.source}|^CITEWELL_(KEY|TOKEN|SOURCE_\\w+|TEST_\\w+)$`);
/** Variables that Kubernetes sets for each service of the namespace, such as "citewell" and "citewell-postgresql". */
const KUBERNETES =
  /^\w+?_(SERVICE_HOST=|SERVICE_PORT(_\w+)?=|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=|PORT=(tcp|udp|sctp):\/\/)/;
const known: ReadonlySet<string> = new Set(variableNames);

/** Warnings about variables that are set but have no effect. */
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
  warnings.push(...chromaWarnings(set));
  if ('CITEWELL_OAUTH_AUDIENCE' in set && !('CITEWELL_OAUTH_ISSUER' in set)) {
    warnings.push('CITEWELL_OAUTH_AUDIENCE does nothing without CITEWELL_OAUTH_ISSUER.');
  }
  return warnings;
}
