import { Router } from 'express';
import type { HttpServices } from './http-services.ts';
import { chatRoutes } from './routes/chat-completions.ts';
import { openAiEmbeddingRoutes } from './routes/openai-embeddings.ts';
import { responseRoutes } from './routes/responses.ts';
import { unknownRoute } from './unknown-route.ts';

/** OpenAI's API under `/v1`. */
export function v1Routes(services: HttpServices): Router {
  const router = Router();
  router.use(chatRoutes(services), responseRoutes(services), openAiEmbeddingRoutes(services), unknownRoute);
  return router;
}
