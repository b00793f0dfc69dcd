import { Router } from 'express';
import { createEvaluationBook } from '../../evaluation/evaluation-book.ts';
import { principalOf } from '../authenticate.ts';
import { page, single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readPage } from '../read-query.ts';
import { requireSuperuser } from '../require-superuser.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toEvaluationRecord, toEvaluationSummary } from '../wire/evaluation-record.ts';

/** Ours, for superusers: what `citewell eval` keeps in the data folder. */
export function evaluationRoutes({ status }: Pick<HttpServices, 'status'>): Router {
  const router = Router();
  const book = async () => createEvaluationBook((await status()).data);
  router.use((_request, response, next) => {
    requireSuperuser(principalOf(response));
    next();
  });
  router
    .route('/')
    .get(async (request, response) => {
      response.json(page(await (await book()).list(readPage(request)), toEvaluationSummary));
    })
    .all(onlyMethods('GET'));
  router
    .route('/:evaluation')
    .get(async (request, response) => {
      const kept = await book();
      const evaluation = await kept.get(request.params.evaluation);
      response.json(single(toEvaluationRecord(evaluation, await kept.difference(evaluation))));
    })
    .all(onlyMethods('GET'));
  return router;
}
