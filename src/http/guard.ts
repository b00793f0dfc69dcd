import type { RequestHandler } from 'express';
import { isLoopback } from '../access/confidential-address.ts';
import { ServiceError } from '../errors.ts';
import { allowOrigins } from './cors.ts';

export interface GuardParts {
  /** Additional host names under which the server may be called; IPv6 addresses in brackets. */
  readonly hosts: readonly string[];
  /** Additional origins (host names) whose pages may call the server; `*` allows every page. */
  readonly origins: readonly string[];
}

/**
 * Guard of a server without authentication: any page in the user's browser could call it, from its own origin or by DNS
 * rebinding. Both are refused before a route runs.
 */
export function rejectOtherOrigins({ hosts, origins }: GuardParts): RequestHandler {
  const isHost = (name: string) => isOwnName(name) || hosts.includes(name);
  const isOrigin = (name: string) => origins.includes('*') || isOwnName(name) || origins.includes(name);
  return (request, response, next) => {
    const host = nameIn(`http://${request.get('Host') ?? ''}`);
    // Invalid Host headers have already been refused by `rejectInvalidHost`.
    if (host === undefined) throw new ServiceError('invalid_request', 'The Host header is missing.');
    if (!isHost(host)) {
      throw new ServiceError('forbidden', 'This host name is not allowed. Add it to CITEWELL_ALLOWED_HOSTS.');
    }
    const origin = request.get('Origin');
    const page = origin === undefined ? undefined : nameIn(origin);
    if (origin !== undefined && (page === undefined ? !origins.includes('*') : !isOrigin(page))) {
      throw new ServiceError(
        'forbidden',
        'Pages of other origins may not call a server without authentication. Add the origin to ' +
          'CITEWELL_ALLOWED_ORIGINS, or set CITEWELL_AUTH=required.',
      );
    }
    allowOrigins(request, response, next);
  };
}

/** Lower-cased host name; undefined for the origin `null` and for invalid URLs. */
const nameIn = (address: string): string | undefined => URL.parse(address)?.hostname || undefined;

const isOwnName = (name: string): boolean => isLoopback(name.replace(/^\[|\]$/g, ''));
