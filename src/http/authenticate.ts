import type { RequestHandler, Response } from 'express';
import { defaultAdmin, type Principal } from '../access/principal.ts';
import { ServiceError } from '../errors.ts';

/** What a request shows of who sends it; nothing of it has been believed yet. */
export interface Credentials {
  readonly bearer: string | undefined;
  readonly apiKey: string | undefined;
}

/** Credentials → who asks. Throws `unauthenticated`. */
export type Authenticate = (credentials: Credentials) => Promise<Principal>;

/** A deployment without authentication: whoever can reach it is its one user (r2r-v3.md 2). */
export const asDefaultAdmin: Authenticate = async () => defaultAdmin;

const principals = new WeakMap<Response, Principal>();

/** Settles who asks before any route runs. */
export function identify(authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const authorization = request.get('Authorization');
    const apiKey = request.get('X-Api-Key');
    if (authorization !== undefined && apiKey !== undefined) {
      throw new ServiceError('invalid_request', 'Send either the Authorization header or x-api-key, not both.');
    }
    const bearer = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1];
    principals.set(response, await authenticate({ bearer, apiKey }));
    next();
  };
}

/** Who asks; only behind `identify`. */
export function principalOf(response: Response): Principal {
  const principal = principals.get(response);
  if (principal === undefined) throw new ServiceError('unauthenticated', 'This request has not been authenticated.');
  return principal;
}
