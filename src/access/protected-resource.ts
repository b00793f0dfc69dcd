/** Where RFC 9728 puts what a server says of its access; the resource's own path comes behind it. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** What a client reads to get a token for the resource (RFC 9728 2). */
export interface ProtectedResource {
  readonly issuer: string;
  /** The address tokens are made out to. */
  readonly resource: string;
}

export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${METADATA_PATH}${pathname === '/' ? '' : pathname}${search}`;
}

export const protectedResourceMetadata = ({ issuer, resource }: ProtectedResource) => ({
  resource,
  authorization_servers: [issuer],
  bearer_methods_supported: ['header'],
  resource_name: 'Citewell',
});
