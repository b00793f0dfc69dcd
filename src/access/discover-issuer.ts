import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { isConfidential } from './confidential-address.ts';

const TIMEOUT_MS = 5_000;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.string() });

/** The issuer's JWKS URL from its metadata (RFC 8414, or OpenID Connect Discovery). Throws `provider_failed` with the reason. */
export async function discoverIssuer(issuer: string): Promise<URL> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const problems: string[] = [];
  for (const address of metadataAddresses(issuer)) {
    const found = await readMetadata(address, signal);
    if (typeof found === 'string') {
      problems.push(`${address}: ${found}`);
      continue;
    }
    if (found.issuer !== issuer) {
      throw new ServiceError(
        'provider_failed',
        `The issuer of access tokens identifies itself as ${found.issuer}; CITEWELL_OAUTH_ISSUER must match that exactly.`,
      );
    }
    if (!isConfidential(found.jwks_uri)) {
      throw new ServiceError('provider_failed', `The issuer ${issuer} has its keys at an address without https.`);
    }
    return new URL(found.jwks_uri);
  }
  throw new ServiceError(
    'provider_failed',
    `The issuer of access tokens cannot be asked for its keys: ${problems.join('; ')}.`,
  );
}

/** Metadata URLs in the order in which they are tried. */
function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

/** The metadata, or the reason why it could not be read. */
async function readMetadata(address: string, signal: AbortSignal): Promise<z.output<typeof metadata> | string> {
  try {
    const response = await fetch(address, { headers: { accept: 'application/json' }, redirect: 'error', signal });
    if (!response.ok) {
      await response.body?.cancel();
      return `status ${response.status}`;
    }
    const { success, data } = metadata.safeParse(await response.json());
    return success ? data : 'no issuer and jwks_uri in it';
  } catch (error) {
    if (signal.aborted) return `no answer within ${TIMEOUT_MS / 1000} s`;
    const { code } = (error instanceof Error ? (error.cause ?? error) : {}) as { readonly code?: unknown };
    return typeof code === 'string' ? code : 'no JSON';
  }
}
