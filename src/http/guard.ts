import type { RequestHandler } from 'express';
import { isLoopback } from '../access/confidential-address.ts';
import { ServiceError } from '../errors.ts';
import { allowOrigins } from './cors.ts';

export interface GuardParts {
  /** Names besides those of this machine by which the server may be called; an IPv6 address in brackets. */
  readonly hosts: readonly string[];
  /** Names of pages that may call it, besides those of this machine; `*` is every page. */
  readonly origins: readonly string[];
}

/**
 * For a server that asks nobody who they are: any page a person has open could call it, by its own origin, or by a name
 * of its own that it lets point here. Both are refused before anything runs.
 */
export function keepOthersOut({ hosts, origins }: GuardParts): RequestHandler {
  const isHost = (name: string) => isOwnName(name) || hosts.includes(name);
  const isOrigin = (name: string) => origins.includes('*') || isOwnName(name) || origins.includes(name);
  return (request, response, next) => {
    const host = nameIn(`http://${request.get('Host') ?? ''}`);
    if (host === undefined || !isHost(host)) {
      throw new ServiceError(
        'forbidden',
        'This server is called by a name that is not its own. List the name in CITEWELL_ALLOWED_HOSTS.',
      );
    }
    const origin = request.get('Origin');
    const page = origin === undefined ? undefined : nameIn(origin);
    if (origin !== undefined && (page === undefined ? !origins.includes('*') : !isOrigin(page))) {
      throw new ServiceError(
        'forbidden',
        'Pages of other sites may not call a server without authentication. List the site in ' +
          'CITEWELL_ALLOWED_ORIGINS, or set CITEWELL_AUTH=required.',
      );
    }
    allowOrigins(request, response, next);
  };
}

/** In lower case; undefined for `null` and what is no address. */
const nameIn = (address: string): string | undefined => URL.parse(address)?.hostname || undefined;

const isOwnName = (name: string): boolean => isLoopback(name.replace(/^\[|\]$/g, ''));
