import type { RequestHandler, Router } from 'express';
import { onlySuperusers } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import type { HttpServices } from '../http-services.ts';
import { onlyMethods } from '../unknown-route.ts';

type Services = Pick<HttpServices, 'metrics' | 'opensMetrics' | 'corpus' | 'queue' | 'status'>;

/** Prometheus metrics, for superusers; for everybody with CITEWELL_METRICS=open. */
export function metricsRoutes(services: Services, identified: RequestHandler): Router {
  const { metrics, opensMetrics = false, corpus, queue, status } = services;
  const router = createRouter();
  if (metrics === undefined) return router;
  const admitted: RequestHandler[] = opensMetrics ? [] : [identified, onlySuperusers];
  router
    .route('/metrics')
    .get(...admitted, async (_request, response) => {
      const [{ index, originals, processes }, stats, backlog] = await Promise.all([
        status(),
        corpus.stats(),
        queue.backlog(),
      ]);
      const { documents, chunks, pendingIndexWrites } = stats;
      const { contentType, text } = await metrics.render({
        index: index.state,
        queue: backlog,
        documents,
        chunks,
        pendingIndexWrites,
        ...(originals && { originals: originals.state }),
        ...(processes && { processes }),
      });
      response.set({ 'Content-Type': contentType, 'Cache-Control': 'no-store' }).send(text);
    })
    .all(onlyMethods('GET'));
  return router;
}
