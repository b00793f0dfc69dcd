import { ServiceError } from '../errors.ts';
import type { AccessTokens } from './access-tokens.ts';
import { challenge } from './challenge.ts';
import type { Authenticate } from './credentials.ts';
import { matchSecret } from './match-secret.ts';
import { defaultAdmin } from './principal.ts';

export interface AuthenticatorParts {
  /** Each speaks for the default admin. */
  readonly keys: readonly string[];
  /** Known to the machine's own processes, which speak for the default admin as well; undefined until it is made. */
  readonly localToken: () => string | undefined;
  /** Of people, each with documents of their own. */
  readonly tokens?: AccessTokens | undefined;
}

/** Nobody is let in without a key, a token of the issuer, or the token of the data folder. */
export function createAuthenticator({ keys, localToken, tokens }: AuthenticatorParts): Authenticate {
  const isKey = matchSecret(keys);
  const isLocal = (given: string) => matchSecret([localToken() ?? []].flat())(given);
  const kinds = [...(keys.length > 0 ? ['a key'] : []), ...(tokens === undefined ? [] : ['an access token'])].join(
    ' or ',
  );
  const metadataUrl = () => tokens?.metadataUrl();

  return async ({ bearer, apiKey }) => {
    const given = bearer ?? apiKey;
    if (given === undefined) {
      throw new ServiceError(
        'unauthenticated',
        `Credentials are needed: send ${kinds || 'the token of the data folder'} as Authorization: Bearer ….`,
        { challenge: challenge({ metadataUrl: metadataUrl() }) },
      );
    }
    if (isKey(given)) return defaultAdmin;
    if (bearer !== undefined && isLocal(bearer)) return defaultAdmin;
    if (bearer !== undefined && tokens !== undefined) return tokens.verify(bearer);
    throw new ServiceError('unauthenticated', 'The credentials are wrong: this key is not one of this server.', {
      challenge: challenge({ metadataUrl: metadataUrl(), error: 'invalid_token' }),
    });
  };
}
