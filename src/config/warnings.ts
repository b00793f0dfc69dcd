import { chromaWarnings } from './chroma.ts';
import { keyVariable, type NamedProviderConfig, PROVIDER_KEY } from './named-providers.ts';

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
