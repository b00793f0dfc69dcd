import { type Request, type RequestHandler, Router } from 'express';
import { type Authenticate, readCredentials } from '../../access/credentials.ts';
import type { Principal } from '../../access/principal.ts';
import { ServiceError } from '../../errors.ts';
import { describeUser } from '../describe-user.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { bodyText, readBody, receiveBytes } from '../read-body.ts';
import { onlyMethods } from '../unknown-route.ts';
import { readEmail, readLogin, readRefreshToken, toTokenRecord } from '../wire/sign-in.ts';
import { passwordReset, registration, verification } from '../wire/user-record.ts';

type Services = Pick<HttpServices, 'accounts' | 'collections' | 'corpus' | 'log'>;

/** Bytes of a body from someone who is not known yet; a profile picture is the largest. */
const BODY = 4_000_000;
const NO_MAIL = 'This server sends no e-mail: its administrator makes the code with';

/** What one does before one is known, r2r-v3.md 2 and 10. */
export function signInRoutes(services: Services, authenticate: Authenticate): Router {
  const { accounts, log } = services;
  const { users, signIn } = accounts;
  const router = Router();
  const post = (path: string, handler: RequestHandler) =>
    router.route(path).post(receiveBytes(BODY), handler).all(onlyMethods('POST'));

  // Listing users, at the same place, is for who is known.
  router.post('/', receiveBytes(BODY), async (request, response) => {
    const by = await callerOf(request, authenticate);
    const user = await users.register(by, readBody(request, registration), addressOf(request));
    response.json(single(await describeUser(user, services)));
  });

  post('/login', async (request, response) => {
    const tokens = await signIn.login({ ...readLogin(bodyText(request)), address: addressOf(request) });
    response.set('Cache-Control', 'no-store').json(single(toTokenRecord(tokens)));
  });

  post('/refresh-token', async (request, response) => {
    const tokens = await signIn.refresh(readRefreshToken(bodyText(request)));
    response.set('Cache-Control', 'no-store').json(single(toTokenRecord(tokens)));
  });

  post('/logout', async (request, response) => {
    const credentials = credentialsOf(request);
    if (credentials.bearer !== undefined && signIn.isOwnToken(credentials.bearer)) {
      await signIn.logout(credentials.bearer).catch((error: unknown) => {
        // Out is out, however long ago.
        if (!(error instanceof ServiceError) || error.code !== 'token_expired') throw error;
      });
    } else await authenticate(credentials);
    response.json(single({ message: 'Logged out successfully' }));
  });

  post('/send-verification-email', async (request, response) => {
    const email = readEmail(bodyText(request));
    await users.askForVerification(email);
    log.info({ email }, 'A verification e-mail was asked for; `citewell users verify` does without one.');
    const note = `${NO_MAIL}: citewell users code EMAIL --verify.`;
    response.json(single({ message: 'A verification email has been sent.', note, is_sent: false }));
  });

  post('/verify-email', async (request, response) => {
    const { email, verification_code: code } = readBody(request, verification);
    await users.verify(email, code);
    response.json(single({ message: `User with email ${email.toLowerCase()} verified` }));
  });

  post('/request-password-reset', async (request, response) => {
    const email = readEmail(bodyText(request));
    log.info({ email }, 'A password reset was asked for; `citewell users code` makes the code for it.');
    const message = `If the e-mail is known, its password can be reset. ${NO_MAIL}: citewell users code EMAIL.`;
    response.json(single({ message, is_sent: false }));
  });

  post('/reset-password', async (request, response) => {
    const { reset_token: code, new_password: password } = readBody(request, passwordReset);
    await users.resetPassword(code, password);
    response.json(single({ message: 'Password reset successfully' }));
  });

  return router;
}

const credentialsOf = (request: Request) =>
  readCredentials({ authorization: request.get('Authorization'), apiKey: request.get('X-Api-Key') });

/** Who asks, if they show it; worthless credentials, such as a token of before, are none. */
async function callerOf(request: Request, authenticate: Authenticate): Promise<Principal | undefined> {
  try {
    return await authenticate(credentialsOf(request));
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'unauthenticated' || error.code === 'token_expired')) {
      return undefined;
    }
    throw error;
  }
}

const addressOf = (request: Request): string => request.socket.remoteAddress ?? '';
