import { Router } from 'express';
import { principalOf } from '../authenticate.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { lastEventNumber, streamRun } from '../run-stream.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toRunRecord } from '../wire/run-record.ts';

/** Additions: resuming and cancelling streams of /rag and /agent. */
export function runRoutes({ runs, ...services }: Pick<HttpServices, 'runs' | 'limits' | 'log'>): Router {
  const router = Router();
  router
    .route('/')
    .get((_request, response) => {
      const records = runs.list(principalOf(response).userId).map(toRunRecord);
      response.json({ results: records, total_entries: records.length });
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id')
    .get((request, response) => {
      const { record } = runs.get(request.params.id, principalOf(response).userId);
      response.json(single(toRunRecord(record)));
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/events')
    .get(async (request, response) => {
      const run = runs.get(request.params.id, principalOf(response).userId);
      await streamRun(request, response, services, { run, after: lastEventNumber(request, run.id) });
    })
    .all(onlyMethods('GET'));
  router
    .route('/:id/cancel')
    .post(async (request, response) => {
      const run = runs.get(request.params.id, principalOf(response).userId);
      await run.cancel();
      response.json(single(toRunRecord(run.record)));
    })
    .all(onlyMethods('POST'));
  return router;
}
