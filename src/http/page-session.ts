import type { Request, RequestHandler, Response } from 'express';
import type { TokenPair } from '../access/session-tokens.ts';
import { ServiceError } from '../errors.ts';
import { percentDecoded } from '../shared/text.ts';

/**
 * The web page's session: the tokens of a login in HttpOnly cookies. They are accepted only in requests from the page
 * itself, which prevents CSRF.
 */
const ACCESS = 'citewell_access';
const REFRESH = 'citewell_refresh';
export const SESSION_PATH = '/session';

/** The access token of the page's session; undefined for cross-site requests. */
export function sessionToken(request: Request): string | undefined {
  return isOfPage(request) ? cookie(request, ACCESS) : undefined;
}

/** The refresh token; its cookie is sent to the session path only. */
export function sessionRefreshToken(request: Request): string | undefined {
  return isOfPage(request) ? cookie(request, REFRESH) : undefined;
}

export function openSession(request: Request, response: Response, { access, refresh }: TokenPair): void {
  const safe = { httpOnly: true, sameSite: 'strict', secure: request.secure } as const;
  response.cookie(ACCESS, access, { ...safe, path: '/' });
  response.cookie(REFRESH, refresh, { ...safe, path: SESSION_PATH });
}

export function closeSession(response: Response): void {
  response.clearCookie(ACCESS, { path: '/' });
  response.clearCookie(REFRESH, { path: SESSION_PATH });
}

// Browsers send Sec-Fetch-Site. "none" means that the user typed the address or followed it from outside the web.
function isOfPage(request: Request): boolean {
  const site = request.get('Sec-Fetch-Site');
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && request.method === 'GET');
  const origin = request.get('Origin');
  return origin === undefined ? request.method === 'GET' : URL.parse(origin)?.host === request.get('Host');
}

/**
 * Refuses requests of other sites' pages: a form could otherwise sign the visitor in to the account of an attacker, who
 * then sees what the visitor uploads and asks. Programs send neither header.
 */
export const refuseOtherSites: RequestHandler = (request, _response, next) => {
  const site = request.get('Sec-Fetch-Site');
  const origin = request.get('Origin');
  const isFromProgram = site === undefined && origin === undefined;
  if (!isFromProgram && !isOfPage(request)) {
    throw new ServiceError('forbidden', 'Only the page of this server may sign in here, not pages of other sites.');
  }
  next();
};

function cookie(request: Request, name: string): string | undefined {
  for (const pair of request.get('Cookie')?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return percentDecoded(value);
  }
  return undefined;
}
