import type { Request, RequestHandler, Router } from 'express';
import { type Authenticate, readCredentials } from '../../access/credentials.ts';
import type { Principal } from '../../access/principal.ts';
import { ServiceError } from '../../errors.ts';
import { callerAddress } from '../caller-address.ts';
import { createRouter } from '../create-router.ts';
import { describeUser } from '../describe-user.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { bodyText, readBody, receiveBytes } from '../read-request.ts';
import { readEmail, readLogin, readRefreshToken, toTokenRecord } from '../wire/sign-in.ts';
import { passwordReset, registration, verification } from '../wire/user-record.ts';

type Services = Pick<HttpServices, 'accounts' | 'collections' | 'corpus' | 'log'>;

/** Maximum bytes of a body from an unauthenticated caller; a profile picture is the largest field. */
const BODY = 4_000_000;
const NO_MAIL = 'This server sends no e-mail: its administrator creates the code with';

/** Routes that need no credentials, docs/contract.md 2 and 10. */
export function signInRoutes(services: Services, authenticate: Authenticate): Router {
  const { accounts, log } = services;
  const { users, signIn } = accounts;
  const router = createRouter();
  const post = (path: string, handler: RequestHandler) => router.post(path, receiveBytes(BODY), handler);

  router.use(warnOfProxy(log));

  // Listing users, on the same path, needs credentials and is in `users.ts`.
  router.route('/').post(receiveBytes(BODY), async (request, response) => {
    const by = await callerOf(request, authenticate);
    const user = await users.register(by, readBody(request, registration), callerAddress(request));
    response.json(single(await describeUser(user, services)));
  });

  post('/login', async (request, response) => {
    const tokens = await signIn.login({ ...readLogin(bodyText(request)), address: callerAddress(request) });
    response.set('Cache-Control', 'no-store').json(single(toTokenRecord(tokens)));
  });

  post('/refresh-token', async (request, response) => {
    const tokens = await signIn.refresh(readRefreshToken(bodyText(request)));
    response.set('Cache-Control', 'no-store').json(single(toTokenRecord(tokens)));
  });

  post('/logout', async (request, response) => {
    const credentials = readCredentials(request);
    if (credentials.bearer !== undefined && signIn.isOwnToken(credentials.bearer)) {
      await signIn.logout(credentials.bearer).catch((error: unknown) => {
        // An expired session counts as logged out.
        if (!(error instanceof ServiceError) || error.code !== 'token_expired') throw error;
      });
    } else await authenticate(credentials);
    response.json(single({ message: 'Logged out successfully' }));
  });

  post('/send-verification-email', async (request, response) => {
    const email = readEmail(bodyText(request));
    log.info({ email }, 'A verification e-mail was requested; `citewell users verify` verifies without one.');
    const note = `${NO_MAIL}: citewell users code EMAIL --verify.`;
    // All other callers get the same answer for every address, so that it does not reveal who has a verified account.
    await users.askForVerification(await callerOf(request, authenticate), email);
    response.json(single({ message: 'A verification email has been sent.', note, is_sent: false }));
  });

  post('/verify-email', async (request, response) => {
    const { email, verification_code: code } = readBody(request, verification);
    await users.verify(email, code);
    response.json(single({ message: `User with email ${email.toLowerCase()} verified` }));
  });

  post('/request-password-reset', async (request, response) => {
    const email = readEmail(bodyText(request));
    log.info({ email }, 'A password reset was requested; `citewell users code` creates the code for it.');
    const message = `If the e-mail is known, its password can be reset. ${NO_MAIL}: citewell users code EMAIL.`;
    response.json(single({ message, is_sent: false }));
  });

  post('/reset-password', async (request, response) => {
    const { reset_token: code, new_password: password, revoke_api_keys } = readBody(request, passwordReset);
    const keys = await users.resetPassword(code, { password, revokesKeys: revoke_api_keys === true });
    response.json(single({ message: 'Password reset successfully', api_keys: keys }));
  });

  return router;
}

/** The caller, if the request has credentials; invalid ones, such as an expired token, count as none. */
async function callerOf(request: Request, authenticate: Authenticate): Promise<Principal | undefined> {
  try {
    return await authenticate(readCredentials(request));
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'unauthenticated' || error.code === 'token_expired')) {
      return undefined;
    }
    throw error;
  }
}

/** Logs once that an untrusted proxy seems to be in front of the server, so that all its clients count as one. */
function warnOfProxy(log: HttpServices['log']): RequestHandler {
  let hasWarned = false;
  return (request, _response, next) => {
    if (!hasWarned && request.get('X-Forwarded-For') !== undefined && request.ips.length === 0) {
      hasWarned = true;
      const what = 'A request with X-Forwarded-For came from an address that is not a trusted proxy';
      const why = 'Logins and registrations of all its clients are limited together';
      log.warn({ address: request.ip }, `${what}. ${why}; add it to CITEWELL_TRUSTED_PROXIES if it is yours.`);
    }
    next();
  };
}
