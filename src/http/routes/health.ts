import { Router } from 'express';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { onlyMethods } from '../unknown-route.ts';

/** Public (r2r-v3.md 12): that the service answers, and ours, with what: model, embedder, and the state of the index. */
export function healthRoutes({ status }: Pick<HttpServices, 'status'>): Router {
  const router = Router();
  router
    .route('/health')
    .get(async (_request, response) => {
      const { version, model, embedder, embedderReason, index } = await status();
      response.json(single({ message: 'ok', version, model, embedder, embedder_reason: embedderReason, index }));
    })
    .all(onlyMethods('GET'));
  return router;
}
