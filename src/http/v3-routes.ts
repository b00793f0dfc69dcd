import { Router } from 'express';
import type { HttpServices } from './http-services.ts';
import { receiveBytes } from './read-request.ts';
import { agentRoutes } from './routes/agent.ts';
import { answerCheckRoutes } from './routes/answer-check.ts';
import { chunkRoutes } from './routes/chunks.ts';
import { collectionRoutes } from './routes/collections.ts';
import { completionRoutes } from './routes/completion.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { collectionExtractRoutes, documentGraphRoutes } from './routes/document-graphs.ts';
import { documentSetRoutes } from './routes/document-sets.ts';
import { documentRoutes } from './routes/documents.ts';
import { embeddingRoutes } from './routes/embedding.ts';
import { evaluationRoutes } from './routes/evaluations.ts';
import { followedSourceRoutes } from './routes/followed-sources.ts';
import { graphRowRoutes } from './routes/graph-rows.ts';
import { graphRoutes } from './routes/graphs.ts';
import { indexRoutes } from './routes/indices.ts';
import { ingestionRoutes } from './routes/ingestions.ts';
import { promptRoutes } from './routes/prompts.ts';
import { ragRoutes } from './routes/rag.ts';
import { runRoutes } from './routes/runs.ts';
import { sourceRoutes } from './routes/sources.ts';
import { systemRoutes } from './routes/system.ts';
import { taskRoutes } from './routes/tasks.ts';
import { uploadRoutes } from './routes/upload.ts';
import { userKeyRoutes } from './routes/user-keys.ts';
import { userRoutes } from './routes/users.ts';
import { versionRoutes } from './routes/versions.ts';

/** The routes of docs/contract.md under `/v3`, except those that every start needs (`app.ts`). */
export function v3Routes(services: HttpServices): Router {
  const router = Router();
  // Before the JSON body readers: uploads are multipart and have their own limits.
  router.use('/documents', uploadRoutes(services), ingestionRoutes(services), sourceRoutes(services));
  router.use('/documents', documentSetRoutes(services), documentRoutes(services));
  router.use('/documents', versionRoutes(services), documentGraphRoutes(services));
  router.use(receiveBytes(services.limits.body));
  router.use('/retrieval', ragRoutes(services), answerCheckRoutes(services));
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
