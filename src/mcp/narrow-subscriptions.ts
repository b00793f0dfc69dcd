import type { Request, RequestHandler, Response } from 'express';
import type { Principal } from '../access/principal.ts';
import type { Backend } from './backend.ts';
import { documentIdIn } from './document-uri.ts';
import type { Changes } from './pace-changes.ts';
import { MAX_SUBSCRIBED, noLongerSubscribable, subscribable } from './subscribable.ts';

const WITHIN_MS = 10_000;

/** The part of a message that is read here, not validated yet. */
interface ListenRequest {
  readonly method?: unknown;
  readonly params?: { readonly notifications?: { readonly resourceSubscriptions?: unknown } | null } | null;
}

/** The subscriptions of open notification streams (revision 2026-07-28 and later). */
export interface Subscriptions {
  /**
   * Leaves documents that the client cannot see out of its subscription. The SDK acknowledges the others, and refuses what
   * is not a list of URIs.
   */
  readonly narrow: RequestHandler;
  /** Ends the streams that are subscribed to a changed document that their clients can no longer see. */
  endLost(changes: Changes): Promise<void>;
}

export function createSubscriptions(backend: Backend, principalOf: (request: Request) => Principal): Subscriptions {
  const open = new Map<Response, { readonly principal: Principal; readonly uris: readonly string[] }>();
  return {
    async narrow(request, response, next) {
      const { method, params } = (request.body ?? {}) as ListenRequest;
      const uris = params?.notifications?.resourceSubscriptions;
      if (method !== 'subscriptions/listen' || !Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
        return next();
      }
      const principal = principalOf(request);
      const subscriber = { backend, principal, signal: AbortSignal.timeout(WITHIN_MS) };
      const resourceSubscriptions = await subscribable(uris.slice(0, MAX_SUBSCRIBED), subscriber);
      const notifications = { ...params?.notifications, resourceSubscriptions };
      request.body = { ...request.body, params: { ...params, notifications } };
      open.set(response, { principal, uris: resourceSubscriptions });
      response.once('close', () => open.delete(response));
      next();
    },

    async endLost({ documentIds, removedIds }) {
      const changed = new Set(documentIds);
      const ends = Array.from(open, async ([response, { principal, uris }]) => {
        const concerned = uris.filter((uri) => changed.has(documentIdIn(uri) ?? ''));
        if (concerned.length === 0) return;
        const lost = await noLongerSubscribable(concerned, removedIds, { backend, principal });
        if (lost.length > 0) response.destroy();
      });
      await Promise.all(ends);
    },
  };
}
