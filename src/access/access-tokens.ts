import { createRemoteJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { defaultCollectionId, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { challenge } from './challenge.ts';
import { discoverIssuer } from './discover-issuer.ts';
import type { Principal } from './principal.ts';
import { metadataUrl } from './protected-resource.ts';

export interface AccessTokenParts {
  readonly issuer: string;
  /** The expected audience; a function, because it may depend on the port the server gets. */
  readonly resource: () => string;
}

/** Validates access tokens of an OAuth issuer (RFC 9068 section 4), with this server as the resource. */
export interface AccessTokens {
  /** The token's principal. Throws `unauthenticated`, `token_expired`, and `provider_failed` without the issuer's keys. */
  verify(token: string): Promise<Principal>;
  metadataUrl(): string;
  /** Discovers the issuer's keys. Throws `provider_failed`. */
  findKeys(): Promise<unknown>;
}

/** Asymmetric algorithms only: with HMAC, the public key could be used as the shared secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Allowed clock skew in seconds. */
const CLOCK_TOLERANCE = 5;
const KEY_TIMEOUT_MS = 5_000;
const KEY_CACHE_MS = 10 * 60_000;
/** Minimum time between two discovery attempts at a failing issuer, however many tokens arrive. */
const DISCOVERY_COOLDOWN_MS = 5_000;

export function createAccessTokens({ issuer, resource }: AccessTokenParts): AccessTokens {
  let finding: Promise<JWTVerifyGetKey> | undefined;

  const findKeys = (): Promise<JWTVerifyGetKey> => {
    if (finding !== undefined) return finding;
    const attempt = discoverIssuer(issuer).then(keysAt);
    finding = attempt;
    attempt.catch(() => {
      setTimeout(() => {
        finding = undefined;
      }, DISCOVERY_COOLDOWN_MS).unref();
    });
    return attempt;
  };

  const refusal = (code: 'unauthenticated' | 'token_expired', message: string, description: string) =>
    new ServiceError(code, message, {
      challenge: challenge({ metadataUrl: metadataUrl(resource()), error: 'invalid_token', description }),
    });
  const invalid = () =>
    refusal(
      'unauthenticated',
      `Invalid token: neither a key of this server nor an access token of ${issuer} for ${resource()}.`,
      'invalid token',
    );

  return {
    async verify(token) {
      // A token of another issuer must not cause requests to this one.
      if (claimedIssuer(token) !== issuer) throw invalid();
      const keys = await findKeys();
      let subject: unknown;
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience: resource(),
          algorithms: ALGORITHMS,
          requiredClaims: ['exp', 'sub'],
          clockTolerance: CLOCK_TOLERANCE,
        });
        subject = payload.sub;
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        if (error instanceof errors.JWTExpired) {
          throw refusal('token_expired', 'The access token expired: token expired, get a new one.', 'token expired');
        }
        throw invalid();
      }
      if (typeof subject !== 'string' || subject === '') throw invalid();
      return principalOf(issuer, subject);
    },
    metadataUrl: () => metadataUrl(resource()),
    findKeys,
  };
}

function keysAt(address: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(address, { timeoutDuration: KEY_TIMEOUT_MS, cacheMaxAge: KEY_CACHE_MS });
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      // These two errors are caused by the token.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new ServiceError('provider_failed', 'Cannot fetch the keys of the access token issuer; try again.', {
        cause: error,
      });
    }
  };
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Derives the user from issuer and subject, so that no issuer can choose a subject that collides with the admin. */
function principalOf(issuer: string, subject: string): Principal {
  const userId = uuidFromName(`user of ${issuer}: ${subject}`);
  return { userId, email: subject, isSuperuser: false, collectionIds: [defaultCollectionId(userId)] };
}
