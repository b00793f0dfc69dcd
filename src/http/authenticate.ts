import type { RequestHandler, Response } from 'express';
import { type Authenticate, readCredentials } from '../access/credentials.ts';
import { defaultAdmin, type Principal } from '../access/principal.ts';
import { ServiceError } from '../errors.ts';
import { sessionToken } from './page-session.ts';

/** Authentication is off: every request runs as the default administrator (docs/contract.md 2). */
export const asDefaultAdmin: Authenticate = async () => defaultAdmin;

const principals = new WeakMap<Response, Principal>();

/** Determines the principal of a request before any route runs. */
export function identify(authenticate: Authenticate): RequestHandler {
  return async (request, response, next) => {
    const shown = readCredentials(request);
    const isShown = request.get('Authorization') !== undefined || shown.apiKey !== undefined;
    const credentials = isShown ? shown : { ...shown, bearer: sessionToken(request) };
    principals.set(response, await authenticate(credentials));
    next();
  };
}

/** The principal of the request. Only available behind `identify`. */
export function principalOf(response: Response): Principal {
  const principal = principals.get(response);
  if (principal === undefined) throw new ServiceError('unauthenticated', 'This request has not been authenticated.');
  return principal;
}
