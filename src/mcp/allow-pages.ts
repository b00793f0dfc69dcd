import type { RequestHandler } from 'express';

const EXPOSED_HEADERS = 'Mcp-Session-Id, Retry-After, WWW-Authenticate';
const PREFLIGHT_SECONDS = '600';

/**
 * CORS for pages of the origins that have been admitted before. Answers preflight requests, which browsers send without
 * credentials.
 */
export const allowPages: RequestHandler = (request, response, next) => {
  response.vary('Origin');
  const origin = request.get('Origin');
  if (origin === undefined) return next();
  response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS });
  if (request.method !== 'OPTIONS') return next();
  response.set({
    'Access-Control-Allow-Methods': 'GET, POST, DELETE',
    'Access-Control-Allow-Headers': request.get('Access-Control-Request-Headers') ?? '*',
    'Access-Control-Max-Age': PREFLIGHT_SECONDS,
  });
  response.status(204).end();
};
