import type { Router } from 'express';
import { ServiceError } from '../../errors.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { isLeaving } from '../request-signal.ts';
import { toHealthRecord } from '../wire/health-record.ts';

/** Public health check (docs/contract.md 12). Additions: model, embedder and index state. */
export function healthRoutes({ status }: Pick<HttpServices, 'status'>): Router {
  const router = createRouter();
  router.get('/health', async (request, response) => {
    if (isLeaving(request)) throw new ServiceError('cancelled', 'The service is stopping.');
    response.json(single(toHealthRecord(await status())));
  });
  return router;
}
