import type { Router } from 'express';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { lastEventNumber, streamRun } from '../run-stream.ts';
import { toRunRecord } from '../wire/run-record.ts';

/** Additions: resuming and cancelling streams of /rag and /agent. */
export function runRoutes({ runs, ...services }: Pick<HttpServices, 'runs' | 'limits' | 'log'>): Router {
  const router = createRouter();
  router.get('/', (_request, response) => {
    const records = runs.list(principalOf(response).userId).map(toRunRecord);
    response.json({ results: records, total_entries: records.length });
  });
  router.get('/:id', (request, response) => {
    const { record } = runs.get(request.params.id, principalOf(response).userId);
    response.json(single(toRunRecord(record)));
  });
  router.get('/:id/events', async (request, response) => {
    const run = runs.get(request.params.id, principalOf(response).userId);
    await streamRun(request, response, services, { run, after: lastEventNumber(request, run.id) });
  });
  router.post('/:id/cancel', async (request, response) => {
    const run = runs.get(request.params.id, principalOf(response).userId);
    await run.cancel();
    response.json(single(toRunRecord(run.record)));
  });
  return router;
}
