import type { RequestHandler } from 'express';
import { principalOf } from './authenticate.ts';
import type { HttpServices } from './http-services.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Counts what changes something or costs something, r2r-v3.md 2; behind `identify`. */
export function limitRequests({ accounts }: Pick<HttpServices, 'accounts'>): RequestHandler {
  return async (request, response, next) => {
    if (request.method === 'POST' || request.method === 'DELETE') {
      const route = `${request.method} ${`${request.baseUrl}${request.path}`.replace(UUID, ':id').replace(/\/+$/, '')}`;
      await accounts.limits.admit(principalOf(response), route);
    }
    next();
  };
}
