import type { Request, RequestHandler } from 'express';
import type { Principal } from '../access/principal.ts';
import type { Backend } from './backend.ts';
import { MAX_SUBSCRIBED, subscribable } from './subscribable.ts';

const WITHIN_MS = 10_000;

/** The part of a message that is read here, not validated yet. */
interface ListenRequest {
  readonly method?: unknown;
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } | null } | null;
}

/**
 * Leaves documents that the client cannot see out of its subscription (revision 2026-07-28 and later). The SDK
 * acknowledges the others, and refuses what is not a list of URIs.
 */
export function narrowSubscriptions(backend: Backend, principalOf: (request: Request) => Principal): RequestHandler {
  return async (request, _response, next) => {
    const { method, params } = (request.body ?? {}) as ListenRequest;
    const uris = params?.notifications?.resourceSubscriptions;
    if (method !== 'subscriptions/listen' || !Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
      return next();
    }
    const subscriber = { backend, principal: principalOf(request), signal: AbortSignal.timeout(WITHIN_MS) };
    const resourceSubscriptions = await subscribable(uris.slice(0, MAX_SUBSCRIBED), subscriber);
    const notifications = { ...params?.notifications, resourceSubscriptions };
    request.body = { ...request.body, params: { ...params, notifications } };
    next();
  };
}
