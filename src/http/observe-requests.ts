import type { Request, RequestHandler, Response } from 'express';
import type { OpenSpan } from '../telemetry/traces.ts';
import type { HttpServices } from './http-services.ts';
import { requestIdOf } from './request-id.ts';

/**
 * Counts every response under the pattern of its route, and starts the request's span. The path is not used, because
 * callers choose it.
 */
export function observeRequests({ metrics, traces }: Pick<HttpServices, 'metrics' | 'traces'>): RequestHandler {
  return (request, response, next) => {
    if (metrics === undefined && traces === undefined) {
      next();
      return;
    }
    const start = performance.now();
    const patternNow = watchRoute(request);
    const { method } = request;
    const span = traces?.start({ name: method, kind: 'server', traceParent: request.get('traceparent') });
    response.locals[SPAN] = span;
    response.once('close', () => {
      const seconds = (performance.now() - start) / 1000;
      const [route, status] = [patternNow(), response.statusCode];
      metrics?.request({ method, route, status, seconds });
      span?.rename(`${method} ${route}`);
      span?.set({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'citewell.request.id': requestIdOf(response),
      });
      if (status >= 500) span?.failAs(String(status));
      span?.end();
    });
    resumeSpan(request, response, next);
  };
}

const SPAN = 'span';

const spanOf = (response: Response): OpenSpan | undefined => response.locals[SPAN];

/** The request's trace id, for logs and error responses. */
export const traceIdOf = (response: Response): string | undefined => spanOf(response)?.traceId;

/** Makes the request's span current again; reading a body with event listeners loses the async context. */
export const resumeSpan: RequestHandler = (_request, response, next) => {
  const span = spanOf(response);
  if (span === undefined) next();
  else span.run(next);
};

/** Mounted handlers without Express routes. */
const MOUNTS = /^\/(?:mcp|peer)\b/;

function patternOf(base: string, path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined;
  return path === '/' && base !== '' ? base : `${base}${path}`;
}

/**
 * Returns a function for the pattern of the route that the request has reached. The pattern is recorded when a router
 * sets `request.route`, because a router whose route fails restores `baseUrl`.
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
      pattern = patternOf(request.baseUrl.toLowerCase(), next?.path);
    },
  });
  return () => pattern ?? MOUNTS.exec(request.originalUrl)?.[0] ?? 'unmatched';
}
