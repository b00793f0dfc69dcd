import { ServiceError } from '../errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { readApiKey } from './api-keys.ts';
import { challenge } from './challenge.ts';
import type { Authenticate } from './credentials.ts';
import { matchSecret } from './match-secret.ts';
import type { People } from './people.ts';
import { defaultAdmin, type Principal } from './principal.ts';

export interface AuthenticatorParts {
  /** Each speaks for the default admin. */
  readonly keys: readonly string[];
  /** Known to the machine's own processes, which speak for the default admin as well; undefined until it is made. */
  readonly localToken: () => string | undefined;
  /** Of an issuer's people, each with documents of their own. */
  readonly tokens?: AccessTokens | undefined;
  /** This server's own users, with the tokens and keys it gave them. */
  readonly people?: People | undefined;
  /** Who it is that shows nothing; undefined where credentials are required. */
  readonly anonymous?: Principal | undefined;
}

/** Who asks, by a key or the token of the data folder, a token or key of a user here, or a token of the issuer. */
export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  const { keys, localToken, tokens, people, anonymous } = parts;
  const isKey = matchSecret(keys);
  const isLocal = (given: string) => matchSecret([localToken() ?? []].flat())(given);
  const metadataUrl = () => tokens?.metadataUrl();
  const refusal = (message: string, error?: 'invalid_token') =>
    new ServiceError('unauthenticated', message, {
      challenge: challenge({ metadataUrl: metadataUrl(), ...(error && { error }) }),
    });
  /** Words and their challenge are one: the refusal of a token says where to get another. */
  const challenged = (error: unknown): unknown => {
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
      throw refusal(`Credentials are needed: send ${kindsOf(parts)} as Authorization: Bearer ….`);
    }
    if (isKey(given)) return defaultAdmin;
    if (bearer !== undefined && isLocal(bearer)) return defaultAdmin;
    if (people !== undefined && readApiKey(given) !== undefined) {
      const principal = await people.ofKey(given);
      if (principal !== undefined) return principal;
      throw refusal('The credentials are wrong: this key is not one of this server, or was deleted.', 'invalid_token');
    }
    if (bearer !== undefined && people?.isOwnToken(bearer)) {
      return people.ofToken(bearer).catch((error: unknown) => {
        throw challenged(error);
      });
    }
    if (bearer !== undefined && tokens !== undefined) {
      const principal = await tokens.verify(bearer);
      return people === undefined ? principal : people.withCollections(principal);
    }
    // Where nobody has to show anything, programs that cannot do without a bearer send one they made up. `x-api-key` is
    // sent only by clients that were given a key, and a wrong one is a mistake that they should hear of.
    if (anonymous !== undefined && apiKey === undefined) return anonymous;
    throw refusal('The credentials are wrong: this key is not one of this server.', 'invalid_token');
  };
}

function kindsOf({ keys, tokens, people }: AuthenticatorParts): string {
  const kinds = [
    ...(keys.length > 0 || people !== undefined ? ['a key'] : []),
    ...(tokens === undefined && people === undefined ? [] : ['an access token']),
  ];
  return kinds.join(' or ') || 'the token of the data folder';
}
