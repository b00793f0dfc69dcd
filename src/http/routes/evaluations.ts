import type { Router } from 'express';
import { createEvaluationStore } from '../../evaluation/evaluation-store.ts';
import { onlySuperusers } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readPage } from '../read-request.ts';
import { toEvaluationRecord, toEvaluationSummary } from '../wire/evaluation-record.ts';

/** Addition, for superusers: the evaluations that `citewell eval` stores in the data folder. */
export function evaluationRoutes({ status }: Pick<HttpServices, 'status'>): Router {
  const router = createRouter();
  const openStore = async () => createEvaluationStore((await status()).data);
  router.use(onlySuperusers);
  router.get('/', async (request, response) => {
    response.json(page(await (await openStore()).list(readPage(request)), toEvaluationSummary));
  });
  router.get('/:evaluation', async (request, response) => {
    const store = await openStore();
    const evaluation = await store.get(request.params.evaluation);
    response.json(single(toEvaluationRecord(evaluation, await store.difference(evaluation))));
  });
  return router;
}
