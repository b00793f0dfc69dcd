import { ServiceError } from '../errors.ts';
import type { Principal } from './principal.ts';

/** Credentials of a request, not verified yet. */
export interface Credentials {
  readonly bearer: string | undefined;
  readonly apiKey: string | undefined;
}

/**
 * Verifies credentials. Throws `unauthenticated`, `token_expired`, and `provider_failed` if the issuer is unavailable.
 */
export type Authenticate = (credentials: Credentials) => Promise<Principal>;

/** A request whose headers are read by name. */
interface HeaderReader {
  get(name: string): string | undefined;
}

/** Throws `invalid_request` if both headers are set, as they could name two users (docs/contract.md 2). */
export function readCredentials(request: HeaderReader): Credentials {
  const [authorization, apiKey] = [request.get('Authorization'), request.get('X-Api-Key')];
  if (authorization !== undefined && apiKey !== undefined) {
    throw new ServiceError('invalid_request', 'Send either the Authorization header or x-api-key, not both.');
  }
  return { bearer: /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1], apiKey };
}
