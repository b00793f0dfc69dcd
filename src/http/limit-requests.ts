import type { RequestHandler } from 'express';
import { withoutFinalSlashes } from '../shared/text.ts';
import { callerOf } from './authenticate.ts';
import type { HttpServices } from './http-services.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Counts POST and DELETE requests against the limits of the caller (docs/contract.md 2), not of a user for whom the
 * caller acts. Must run behind `identify`.
 */
export function limitRequests({ accounts }: Pick<HttpServices, 'accounts'>): RequestHandler {
  return async (request, response, next) => {
    if (request.method === 'POST' || request.method === 'DELETE') {
      const route = routeOf(request.method, `${request.baseUrl}${request.path}`);
      await accounts.limits.admit(callerOf(response), route);
    }
    next();
  };
}

/** The route of a request, as the router matches it, so that variants of its spelling count as one route. */
export const routeOf = (method: string, path: string): string =>
  `${method} ${withoutFinalSlashes(path.toLowerCase().replace(UUID, ':id'))}`;
