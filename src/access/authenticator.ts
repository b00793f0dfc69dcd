import { createHash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { readApiKey } from './api-keys.ts';
import { challenge } from './challenge.ts';
import type { Authenticate } from './credentials.ts';
import { defaultAdmin, type Principal } from './principal.ts';
import type { UserAuthenticator } from './user-authenticator.ts';

export interface AuthenticatorParts {
  /** API keys; each authenticates as the default admin. */
  readonly keys: readonly string[];
  /** Token for local processes of this user, which act as the default admin; undefined until it is created. */
  readonly localToken: () => string | undefined;
  /** Users of an OAuth issuer, each with their own documents. */
  readonly tokens?: AccessTokens | undefined;
  /** Users of this server, with the tokens and API keys it issued. */
  readonly userAuthenticator?: UserAuthenticator | undefined;
  /** Principal of requests without credentials; undefined if credentials are required. */
  readonly anonymous?: Principal | undefined;
}

/** Accepts configured keys, the data folder's token, tokens and API keys of users, and tokens of an issuer. */
export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const { keys, localToken, tokens, userAuthenticator, anonymous } = parts;
  const isKey = matchSecret(keys);
  const isLocal = (given: string) => matchSecret([localToken() ?? []].flat())(given);
  const metadataUrl = () => tokens?.metadataUrl();
  const refusal = (message: string, error?: 'invalid_token') =>
    new ServiceError('unauthenticated', message, {
      challenge: challenge({ metadataUrl: metadataUrl(), ...(error && { error }) }),
    });
  /** Adds the challenge, which tells the client where to get a new token. */
  const withChallenge = (error: unknown): unknown => {
    if (!(error instanceof ServiceError) || error.challenge !== undefined) return error;
    if (error.code !== 'unauthenticated' && error.code !== 'token_expired') return error;
    const description = error.code === 'token_expired' ? 'token expired' : 'invalid token';
    return new ServiceError(error.code, error.message, {
      challenge: challenge({ metadataUrl: metadataUrl(), error: 'invalid_token', description }),
    });
  };

  return async ({ bearer, apiKey }) => {
    const given = bearer ?? apiKey;
    if (given === undefined) {
      if (anonymous !== undefined) return anonymous;
      throw refusal(`Credentials are needed: send ${describeCredentials(parts)} as Authorization: Bearer ….`);
    }
    if (isKey(given)) return defaultAdmin;
    if (bearer !== undefined && isLocal(bearer)) return defaultAdmin;
    if (userAuthenticator !== undefined && readApiKey(given) !== undefined) {
      const principal = await userAuthenticator.principalOfKey(given);
      if (principal !== undefined) return principal;
      throw refusal('The credentials are wrong: this key is not one of this server, or was deleted.', 'invalid_token');
    }
    if (bearer !== undefined && userAuthenticator?.isOwnToken(bearer)) {
      return userAuthenticator.principalOfToken(bearer).catch((error: unknown) => {
        throw withChallenge(error);
      });
    }
    if (bearer !== undefined && tokens !== undefined) {
      const principal = await tokens.verify(bearer);
      return userAuthenticator === undefined ? principal : userAuthenticator.withCollections(principal);
    }
    // Without required credentials, clients that cannot omit a bearer token send a placeholder, which is ignored.
    // `x-api-key` is sent only by clients that were given a key, so a wrong one is reported.
    if (anonymous !== undefined && apiKey === undefined) return anonymous;
    throw refusal('The credentials are wrong: this key is not one of this server.', 'invalid_token');
  };
}

function describeCredentials({ keys, tokens, userAuthenticator }: AuthenticatorParts): string {
  const kinds = [
    ...(keys.length > 0 || userAuthenticator !== undefined ? ['a key'] : []),
    ...(tokens === undefined && userAuthenticator === undefined ? [] : ['an access token']),
  ];
  return kinds.join(' or ') || 'the token of the data folder';
}

/** Returns a constant-time check whether a text is one of the secrets. Keeps only their hashes. */
function matchSecret(secrets: readonly string[]): (given: string) => boolean {
  const hashes = secrets.map(hash);
  return (given) => {
    const wanted = hash(given);
    // Compares with all of them, so that the time does not reveal which one matched.
    return hashes.filter((each) => timingSafeEqual(each, wanted)).length > 0;
  };
}

const hash = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
