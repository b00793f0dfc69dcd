interface ChallengeParts {
  /** Where a client learns who gives out tokens; undefined when nobody does. */
  readonly metadataUrl: string | undefined;
  /** For credentials that were sent. */
  readonly error?: 'invalid_token';
  readonly description?: string;
}

/** The `WWW-Authenticate` of a refusal (RFC 6750 3, RFC 9728 5.1). */
export function challenge({ metadataUrl, error, description }: ChallengeParts): string {
  const parameters = {
    ...(metadataUrl === undefined ? { realm: 'citewell' } : { resource_metadata: metadataUrl }),
    ...(error && { error }),
    ...(description && { error_description: description }),
  };
  const listed = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${listed.join(', ')}`;
}
