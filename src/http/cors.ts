import type { RequestHandler } from 'express';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const EXPOSED_HEADERS =
  'X-Request-Id, X-Conversation-Id, X-Run-Id, Content-Disposition, Content-Range, ETag, Retry-After, WWW-Authenticate';
const PREFLIGHT_SECONDS = '600';

/** CORS for all origins, with credentials and any header (docs/contract.md 1); also answers preflight requests. */
export const allowOrigins: RequestHandler = (request, response, next) => {
  // "*" is not allowed with credentials, so the origin is echoed.
  response.vary('Origin');
  const origin = request.get('Origin');
  if (origin !== undefined) {
    response.set('Access-Control-Allow-Origin', origin);
    response.set('Access-Control-Allow-Credentials', 'true');
    response.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  }
  if (request.method !== 'OPTIONS') return next();
  response.set('Allow', METHODS);
  if (origin !== undefined) {
    response.set('Access-Control-Allow-Methods', METHODS);
    response.set('Access-Control-Allow-Headers', request.get('Access-Control-Request-Headers') ?? '*');
    response.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  }
  response.status(204).end();
};
