import { Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { callerAddress } from '../caller-address.ts';
import type { HttpServices } from '../http-services.ts';
import {
  closeSession,
  openSession,
  refuseOtherSites,
  SESSION_PATH,
  sessionRefreshToken,
  sessionToken,
} from '../page-session.ts';
import { readBody, receiveBytes } from '../read-request.ts';
import { onlyMethods } from '../unknown-route.ts';
import { sessionLogin } from '../wire/sign-in.ts';

const MAX_BODY_BYTES = 20_000;

/** The web page's session: POST signs in with e-mail and password, PUT refreshes the tokens, DELETE signs out. */
export function sessionRoutes({ accounts }: Pick<HttpServices, 'accounts'>): Router {
  const { signIn } = accounts;
  const router = Router();
  router
    .route(SESSION_PATH)
    .all(refuseOtherSites, (_request, response, next) => {
      response.set('Cache-Control', 'no-store');
      next();
    })
    .post(receiveBytes(MAX_BODY_BYTES), async (request, response) => {
      const tokens = await signIn.login({ ...readBody(request, sessionLogin), address: callerAddress(request) });
      openSession(request, response, tokens);
      response.status(204).end();
    })
    .put(async (request, response) => {
      const token = sessionRefreshToken(request);
      if (token === undefined) throw new ServiceError('unauthenticated', 'Nobody is signed in.');
      openSession(request, response, await signIn.refresh(token));
      response.status(204).end();
    })
    .delete(async (request, response) => {
      const token = sessionToken(request);
      closeSession(response);
      if (token !== undefined) {
        await signIn.logout(token).catch((error: unknown) => {
          // An expired session is already signed out.
          if (!(error instanceof ServiceError)) throw error;
        });
      }
      response.status(204).end();
    })
    .all(onlyMethods('POST', 'PUT', 'DELETE'));
  return router;
}
