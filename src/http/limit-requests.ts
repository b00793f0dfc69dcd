import type { RequestHandler } from 'express';
import { principalOf } from './authenticate.ts';
import type { HttpServices } from './http-services.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Counts what changes something or costs something, r2r-v3.md 2; behind `identify`. */
export function limitRequests({ accounts }: Pick<HttpServices, 'accounts'>): RequestHandler {
  return async (request, response, next) => {
    if (request.method === 'POST' || request.method === 'DELETE') {
      // However it is spelled, as the router takes it.
      const path = `${request.baseUrl}${request.path}`.toLowerCase().replace(UUID, ':id').replace(/\/+$/, '');
      const route = `${request.method} ${path}`;
      await accounts.limits.admit(principalOf(response), route);
    }
    next();
  };
}
