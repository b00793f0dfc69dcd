import type { RequestHandler, Response } from 'express';
import { type Authenticate, readCredentials } from '../access/credentials.ts';
import { audienceFor, defaultAdmin, type Principal, requireSuperuser } from '../access/principal.ts';
import { type Audience, ServiceError } from '../errors.ts';
import { sessionToken } from './page-session.ts';

/** Authentication is off: every request runs as the default administrator (docs/contract.md 2). */
export const asDefaultAdmin: Authenticate = async () => defaultAdmin;

interface RequestIdentity {
  readonly caller: Principal;
  readonly principal: Principal;
}

const identified = new WeakMap<Response, RequestIdentity>();

/** The principal of the user with this id. Throws `not_found`, and `forbidden` unless the caller is a superuser. */
export type ActFor = (by: Principal, userId: string) => Promise<Principal>;

/**
 * Determines the principal of a request before any route runs. With `actFor`, superusers may act for another user,
 * named in the header X-Citewell-User, who then owns what the request creates.
 */
export function identify(authenticate: Authenticate, actFor?: ActFor): RequestHandler {
  return async (request, response, next) => {
    const shown = readCredentials(request);
    const isShown = request.get('Authorization') !== undefined || shown.apiKey !== undefined;
    const credentials = isShown ? shown : { ...shown, bearer: sessionToken(request) };
    const caller = await authenticate(credentials);
    const other = request.get('X-Citewell-User');
    const principal = other === undefined || !actFor ? caller : await actFor(caller, other);
    identified.set(response, { caller, principal });
    next();
  };
}

/** The principal of the request. Only available behind `identify`. */
export const principalOf = (response: Response): Principal => identityOf(response).principal;

/** Refuses the requests of other users. Only available behind `identify`. */
export const onlySuperusers: RequestHandler = (_request, response, next) => {
  requireSuperuser(principalOf(response));
  next();
};

/** The authenticated caller; with X-Citewell-User, the superuser who acts for the principal. */
export const callerOf = (response: Response): Principal => identityOf(response).caller;

/** For whom messages to the caller are written; callers that have not been identified count as members. */
export const audienceOf = (response: Response): Audience => audienceFor(identified.get(response)?.caller);

function identityOf(response: Response): RequestIdentity {
  const identity = identified.get(response);
  if (identity === undefined) throw new ServiceError('unauthenticated', 'This request has not been authenticated.');
  return identity;
}
