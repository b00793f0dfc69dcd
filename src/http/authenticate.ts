import type { RequestHandler, Response } from 'express';
import { type Authenticate, readCredentials } from '../access/credentials.ts';
import { defaultAdmin, type Principal } from '../access/principal.ts';
import { ServiceError } from '../errors.ts';

/** A deployment without authentication: whoever can reach it is its one user (r2r-v3.md 2). */
export const asDefaultAdmin: Authenticate = async () => defaultAdmin;

const principals = new WeakMap<Response, Principal>();

/** Settles who asks before any route runs. */
export function identify(authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const headers = { authorization: request.get('Authorization'), apiKey: request.get('X-Api-Key') };
    principals.set(response, await authenticate(readCredentials(headers)));
    next();
  };
}

/** Who asks; only behind `identify`. */
export function principalOf(response: Response): Principal {
  const principal = principals.get(response);
  if (principal === undefined) throw new ServiceError('unauthenticated', 'This request has not been authenticated.');
  return principal;
}
