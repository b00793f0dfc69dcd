import { createRemoteJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { defaultCollectionId, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { challenge } from './challenge.ts';
import { discoverIssuer } from './discover-issuer.ts';
import type { Principal } from './principal.ts';
import { metadataUrl } from './protected-resource.ts';

export interface AccessTokenParts {
  readonly issuer: string;
  /** The address that tokens have to be made out to; asked for with each token, as it may depend on the port. */
  readonly resource: () => string;
}

/** Access tokens of an OAuth issuer (RFC 9068 4), of which this server is a resource. They are read and forgotten. */
export interface AccessTokens {
  /** Whose token it is. Throws `unauthenticated`, `token_expired`, and `provider_failed` without the issuer's keys. */
  verify(token: string): Promise<Principal>;
  metadataUrl(): string;
  /** Finds the issuer's keys. Throws `provider_failed`. */
  findKeys(): Promise<unknown>;
}

/** Signatures by a private key only: with a shared secret the public key could be taken for one. */
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
/** Seconds by which the clocks of two machines may differ. */
const CLOCK_TOLERANCE = 5;
const KEY_TIMEOUT_MS = 5_000;
const KEY_CACHE_MS = 10 * 60_000;
/** An issuer that failed is left alone for as long, however many tokens come. */
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
      // The issuer is not asked for the sake of what claims not to come from it.
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
      // These two are the token's fault.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      throw new ServiceError('provider_failed', 'The issuer of access tokens does not give out its keys; try again.', {
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

/** The issuer is part of the name, so that nobody becomes the admin by an issuer's leave to choose a subject freely. */
function principalOf(issuer: string, subject: string): Principal {
  const userId = uuidFromName(`user of ${issuer}: ${subject}`);
  return { userId, email: subject, isSuperuser: false, collectionIds: [defaultCollectionId(userId)] };
}
