import type { Request, RequestHandler } from 'express';
import type { HttpServices } from './http-services.ts';

/** Counts every response under the pattern of its route, never under its path, which callers choose. */
export function observeRequests({ metrics }: Pick<HttpServices, 'metrics'>): RequestHandler {
  return (request, response, next) => {
    if (metrics === undefined) {
      next();
      return;
    }
    const start = performance.now();
    const patternNow = watchRoute(request);
    response.once('close', () => {
      const seconds = (performance.now() - start) / 1000;
      metrics.request({ method: request.method, route: patternNow(), status: response.statusCode, seconds });
    });
    next();
  };
}

/** Routers that have no routes of Express. */
const MOUNTS = /^\/(?:mcp|peer)\b/;

/**
 * The pattern of the route that the request has reached. It is noted when a router sets it, because a router whose
 * route fails takes its part of the address back.
 */
function watchRoute(request: Request): () => string {
  let route: Request['route'];
  let pattern: string | undefined;
  Object.defineProperty(request, 'route', {
    configurable: true,
    enumerable: true,
    get: () => route,
    set(next: Request['route']) {
      route = next;
      const path: unknown = next?.path;
      const base = request.baseUrl.toLowerCase();
      pattern = typeof path === 'string' ? (path === '/' ? base || '/' : `${base}${path}`) : undefined;
    },
  });
  return () => pattern ?? MOUNTS.exec(request.originalUrl)?.[0] ?? 'unmatched';
}
