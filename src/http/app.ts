import express, { type Express, type RequestHandler } from 'express';
import type { Authenticate } from '../access/credentials.ts';
import { requireSuperuser } from '../access/principal.ts';
import { asDefaultAdmin, identify } from './authenticate.ts';
import { allowOrigins } from './cors.ts';
import { answerWrongKeyToDify } from './dify-failure.ts';
import { answerFailure } from './failure.ts';
import type { HttpServices } from './http-services.ts';
import { limitRequests } from './limit-requests.ts';
import { observeRequests } from './observe-requests.ts';
import { onDemand } from './on-demand.ts';
import { answerOpenAiFailure } from './openai-failure.ts';
import { receiveBytes } from './read-request.ts';
import { rejectInvalidHost, requireHost } from './reject-invalid-host.ts';
import { nameRequest } from './request-id.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { pageRoutes, unknownView } from './routes/page.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/session.ts';
import { shortLinks } from './routes/short-links.ts';
import { onlyMethods, unknownRoute } from './unknown-route.ts';

/** Another interface to the same services, mounted under its own path with its own access rules. */
export interface Mount {
  readonly path: string;
  readonly handler: RequestHandler;
  /** Whether the app's `guard` checks the origin of its requests; by default the handler checks it itself. */
  readonly isGuarded?: boolean;
}

/** The HTTP interface: docs/contract.md under `/v3`, OpenAI's API under `/v1`, and the web page. */
export function createApp(
  services: HttpServices,
  authenticate: Authenticate = asDefaultAdmin,
  mounts: readonly Mount[] = [],
  /** Checks the origin of a request before anything else reads it. */
  guard: RequestHandler = allowOrigins,
): Express {
  const app = express();
  app.disable('x-powered-by');
  // Lists repeat their key (docs/contract.md 1), so the nested query syntax is not needed.
  app.set('query parser', 'simple');
  // Only these proxies are trusted to report the caller's address; see `request.ip`.
  app.set('trust proxy', services.trustedProxies ?? []);
  app.use(nameRequest, observeRequests(services), rejectInvalidHost);
  for (const { path, handler, isGuarded } of mounts) {
    app.use(path, ...(isGuarded === true ? [guard] : [requireHost]), handler);
  }
  app.use(guard);
  app.use(shortLinks(services, authenticate), pageRoutes(), sessionRoutes(services));
  const { userAuthenticator, users } = services.accounts;
  const identified = identify(authenticate, async (by, id) => {
    requireSuperuser(by);
    return userAuthenticator.principalOfUser(await users.get(by, id));
  });
  app.route('/').get(identified, sendWelcome).all(onlyMethods('GET'));
  // Monitors look for /health at the root.
  app.use(healthRoutes(services), metricsRoutes(services, identified), openApiRoutes(services));
  const limited = limitRequests(services);
  app.use(
    '/v3/users',
    onDemand(async () => (await import('./routes/sign-in.ts')).signInRoutes(services, authenticate)),
  );
  const { log, limits } = services;
  app.use('/v3', healthRoutes(services), identified, limited);
  app.use('/v3/retrieval/search', receiveBytes(limits.body));
  app.use('/v3/retrieval', searchRoutes(services));
  app.use(
    '/v3',
    onDemand(async () => (await import('./v3-routes.ts')).v3Routes(services)),
  );
  const dify = async () => (await import('./routes/external-knowledge.ts')).externalKnowledgeRoutes(services);
  app.use('/dify', identified, limited, receiveBytes(limits.body), onDemand(dify), answerWrongKeyToDify);
  const openAi = async () => (await import('./v1-routes.ts')).v1Routes(services);
  app.use('/v1', identified, limited, receiveBytes(limits.body), onDemand(openAi), answerOpenAiFailure(log));
  app.use(unknownView(), unknownRoute);
  app.use(answerFailure(log));
  return app;
}

/**
 * Loads the modules of the routes that are otherwise loaded on demand, so that no later request waits for them, and an
 * installed update of the program, which removes their files, does not matter to a running server.
 */
export async function preloadRoutes(): Promise<void> {
  await Promise.all([import('./v3-routes.ts'), import('./v1-routes.ts'), import('./routes/sign-in.ts')]);
}

const sendWelcome: RequestHandler = async (_request, response) => {
  response.json((await import('./wire/system-record.ts')).welcome);
};
