interface ChallengeParts {
  /** URL of the protected resource metadata; undefined without an issuer. */
  readonly metadataUrl: string | undefined;
  /** Set only if the request had credentials. */
  readonly error?: 'invalid_token';
  readonly description?: string;
}

/** The `WWW-Authenticate` header of a refusal (RFC 6750 section 3, RFC 9728 section 5.1). */
export function challenge({ metadataUrl, error, description }: ChallengeParts): string {
  const parameters = {
    ...(metadataUrl === undefined ? { realm: 'citewell' } : { resource_metadata: metadataUrl }),
    ...(error && { error }),
    ...(description && { error_description: description }),
  };
  const listed = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${listed.join(', ')}`;
}
