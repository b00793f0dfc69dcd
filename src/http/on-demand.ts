import type { RequestHandler } from 'express';
import { lazyResult } from '../shared/lazy-result.ts';

interface OnDemand extends RequestHandler {
  /** Loads the handler without a request. */
  readonly load: () => Promise<RequestHandler>;
}

/**
 * A handler that the first request loads. Most routes describe what they receive and return, which takes a start of the
 * service longer than what every service needs.
 */
export function onDemand(load: () => Promise<RequestHandler>): OnDemand {
  const loaded = lazyResult(load);
  const handleOnceLoaded: RequestHandler = async (request, response, next) => {
    const handle = await loaded();
    handle(request, response, next);
  };
  return Object.assign(handleOnceLoaded, { load: loaded });
}
