import type { RequestHandler } from 'express';
import { ServiceError } from '../errors.ts';

const HOST = /^(?:[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * Refuses an invalid Host header. Addresses are built from it later, where an `@` or a slash in it would change which
 * host is meant.
 */
export const rejectInvalidHost: RequestHandler = (request, _response, next) => {
  const host = request.get('Host');
  // HTTP/1.0 requests have no Host header.
  if (host !== undefined && !(HOST.test(host) && URL.canParse(`http://${host}`))) {
    throw new ServiceError('invalid_request', 'The Host header is not a host name or address with a port.');
  }
  next();
};
