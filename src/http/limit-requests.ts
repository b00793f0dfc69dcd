import type { RequestHandler } from 'express';
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
      // Normalised as the router matches it, so that spelling variants count as one route.
      const path = `${request.baseUrl}${request.path}`.toLowerCase().replace(UUID, ':id').replace(/\/+$/, '');
      const route = `${request.method} ${path}`;
      await accounts.limits.admit(callerOf(response), route);
    }
    next();
  };
}
