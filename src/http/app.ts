import express, { type Express, Router } from 'express';
import type { Authenticate } from '../access/credentials.ts';
import { requireSuperuser } from '../access/principal.ts';
import { asDefaultAdmin, identify } from './authenticate.ts';
import { allowOrigins } from './cors.ts';
import { answerFailure } from './failure.ts';
import type { HttpServices } from './http-services.ts';
import { limitRequests } from './limit-requests.ts';
import { observeRequests } from './observe-requests.ts';
import { answerOpenAiFailure } from './openai-failure.ts';
import { receiveBytes } from './read-request.ts';
import { rejectInvalidHost, requireHost } from './reject-invalid-host.ts';
import { nameRequest } from './request-id.ts';
import { agentRoutes } from './routes/agent.ts';
import { answerCheckRoutes } from './routes/answer-check.ts';
import { chatRoutes } from './routes/chat-completions.ts';
import { chunkRoutes } from './routes/chunks.ts';
import { collectionRoutes } from './routes/collections.ts';
import { completionRoutes } from './routes/completion.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { collectionExtractRoutes, documentGraphRoutes } from './routes/document-graphs.ts';
import { documentSetRoutes } from './routes/document-sets.ts';
import { documentRoutes } from './routes/documents.ts';
import { embeddingRoutes } from './routes/embedding.ts';
import { evaluationRoutes } from './routes/evaluations.ts';
import { answerWrongKeyToDify, externalKnowledgeRoutes } from './routes/external-knowledge.ts';
import { followedSourceRoutes } from './routes/followed-sources.ts';
import { graphRowRoutes } from './routes/graph-rows.ts';
import { graphRoutes } from './routes/graphs.ts';
import { healthRoutes } from './routes/health.ts';
import { indexRoutes } from './routes/indices.ts';
import { ingestionRoutes } from './routes/ingestions.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { openAiEmbeddingRoutes } from './routes/openai-embeddings.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { pageRoutes, unknownView } from './routes/page.ts';
import { promptRoutes } from './routes/prompts.ts';
import { ragRoutes } from './routes/rag.ts';
import { responseRoutes } from './routes/responses.ts';
import { runRoutes } from './routes/runs.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/session.ts';
import { shortLinks } from './routes/short-links.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { sourceRoutes } from './routes/sources.ts';
import { systemRoutes } from './routes/system.ts';
import { taskRoutes } from './routes/tasks.ts';
import { uploadRoutes } from './routes/upload.ts';
import { userKeyRoutes } from './routes/user-keys.ts';
import { userRoutes } from './routes/users.ts';
import { versionRoutes } from './routes/versions.ts';
import { onlyMethods, unknownRoute } from './unknown-route.ts';
import { welcome } from './wire/system-record.ts';

/** Another interface to the same services, mounted under its own path with its own access rules. */
export interface Mount {
  readonly path: string;
  readonly handler: express.RequestHandler;
  /** Whether the app's `guard` checks the origin of its requests; by default the handler checks it itself. */
  readonly isGuarded?: boolean;
}

/** The HTTP interface: docs/contract.md under `/v3`, OpenAI's API under `/v1`, and the web page. */
export function createApp(
  services: HttpServices,
  authenticate: Authenticate = asDefaultAdmin,
  mounts: readonly Mount[] = [],
  /** Checks the origin of a request before anything else reads it. */
  guard: express.RequestHandler = allowOrigins,
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
  app.use('/v3/users', signInRoutes(services, authenticate));
  app.use('/v3', healthRoutes(services), identified, limited, versionedRoutes(services));
  const { log, limits } = services;
  app.use('/dify', identified, limited, receiveBytes(limits.body), externalKnowledgeRoutes(services));
  app.use('/dify', answerWrongKeyToDify);
  app.use(
    '/v1',
    identified,
    limited,
    receiveBytes(limits.body),
    chatRoutes(services),
    responseRoutes(services),
    openAiEmbeddingRoutes(services),
    unknownRoute,
    answerOpenAiFailure(log),
  );
  app.use(unknownView(), unknownRoute);
  app.use(answerFailure(log));
  return app;
}

function versionedRoutes(services: HttpServices): Router {
  const router = Router();
  // Before the JSON body readers: uploads are multipart and have their own limits.
  router.use('/documents', uploadRoutes(services), ingestionRoutes(services), sourceRoutes(services));
  router.use('/documents', documentSetRoutes(services), documentRoutes(services));
  router.use('/documents', versionRoutes(services), documentGraphRoutes(services));
  router.use(receiveBytes(services.limits.body));
  router.use('/retrieval', searchRoutes(services), ragRoutes(services), answerCheckRoutes(services));
  router.use('/retrieval', agentRoutes(services), completionRoutes(services), embeddingRoutes(services));
  router.use('/retrieval/runs', runRoutes(services));
  router.use('/chunks', chunkRoutes(services));
  router.use('/conversations', conversationRoutes(services));
  router.use('/collections', collectionRoutes(services), collectionExtractRoutes(services));
  router.use('/graphs', graphRoutes(services), graphRowRoutes(services));
  router.use('/prompts', promptRoutes(services));
  router.use('/indices', indexRoutes(services));
  router.use('/users', userRoutes(services), userKeyRoutes(services));
  router.use('/tasks', taskRoutes(services));
  router.use('/sources', followedSourceRoutes(services));
  router.use('/system', systemRoutes(services));
  router.use('/evaluations', evaluationRoutes(services));
  return router;
}

const sendWelcome: express.RequestHandler = (_request, response) => {
  response.json(welcome);
};
