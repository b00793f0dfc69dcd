/** Well-known path of RFC 9728; the resource's own path is appended. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** Protected resource metadata (RFC 9728 section 2), from which clients learn where to get a token. */
export interface ProtectedResource {
  readonly issuer: string;
  /** The audience of access tokens: this server's URL. */
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
