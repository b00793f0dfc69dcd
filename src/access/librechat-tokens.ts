import { defaultCollectionId, uuidFromName } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Authenticate } from './credentials.ts';
import type { Principal } from './principal.ts';

/** Allowed clock skew in seconds. */
const CLOCK_TOLERANCE = 5;

/**
 * Authenticates LibreChat's users by the short-lived tokens (JWT, HS256) that its server sends to its RAG API. Without
 * the signing secret, every request is refused.
 */
export function createLibreChatAuthenticator(secret: string | undefined): Authenticate {
  const key = new TextEncoder().encode(secret);
  return async ({ bearer }) => {
    if (secret === undefined) {
      throw unauthenticated(
        'Tokens of LibreChat cannot be checked: set CITEWELL_LIBRECHAT_SECRET to the JWT_SECRET of LibreChat.',
      );
    }
    if (bearer === undefined) {
      throw new ServiceError('unauthenticated', 'A token of LibreChat is needed: Authorization: Bearer ….');
    }
    const { errors, jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(bearer, key, {
        algorithms: ['HS256'],
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE,
      });
      if (typeof payload['id'] === 'string' && payload['id'] !== '') return principalOf(payload['id']);
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw new ServiceError('token_expired', 'The token of LibreChat expired.');
      if (!(error instanceof errors.JOSEError)) throw error;
    }
    throw unauthenticated(
      'This is not a valid token of the LibreChat whose JWT_SECRET is set as CITEWELL_LIBRECHAT_SECRET.',
    );
  };
}

/** Names the setting to callers who are not known, too: the administrator finds the message in the log of LibreChat. */
const unauthenticated = (message: string): ServiceError =>
  new ServiceError('unauthenticated', message, { memberMessage: message });

function principalOf(user: string): Principal {
  const userId = uuidFromName(`user of LibreChat: ${user}`);
  return { userId, email: user, isSuperuser: false, collectionIds: [defaultCollectionId(userId)] };
}

/** Identifier of the user who owns the documents embedded for an agent of LibreChat. */
export const libreChatAgent = (id: string): string => uuidFromName(`agent of LibreChat: ${id}`);
