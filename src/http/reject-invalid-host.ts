import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * Refuses an invalid or repeated Host header. URLs are built from it later, in which an `@` or a slash would change the
 * host.
 */
export const rejectInvalidHost: RequestHandler = (request, _response, next) => {
  // HTTP/1.0 requests may have no Host header. Of several, different proxies would use different ones.
  const [host, ...others] = request.headersDistinct['host'] ?? [];
  const isValid = host === undefined || (HOST.test(host) && URL.canParse(`http://${host}`));
  if (!isValid || others.length > 0) {
    throw new ServiceError('invalid_request', 'The Host header is not one host name or address with a port.');
  }
  next();
};

/** Requires a Host header, for interfaces that check the host name. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.headers.host === undefined) throw new ServiceError('invalid_request', 'The Host header is missing.');
  next();
};
