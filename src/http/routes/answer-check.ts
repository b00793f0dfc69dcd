import type { Router } from 'express';
import { visibleFilter } from '../../access/visible-filter.ts';
import { toAnswerCheckRecord } from '../../toolbox/answer-check-record.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { originOf } from '../origin-of.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { answerCheckRequest } from '../wire/answer-check.ts';

/** Checks any answer, wherever it was written, against the documents the caller may see. */
export function answerCheckRoutes({ checker }: Pick<HttpServices, 'checker'>): Router {
  const router = createRouter();
  router.post('/check', async (request, response) => {
    const checkRequest = readBody(request, answerCheckRequest);
    const visible = visibleFilter(principalOf(response));
    const check = await checker.check(checkRequest, visible, requestSignal(request, response));
    response.json(single(toAnswerCheckRecord(check, originOf(request))));
  });
  return router;
}
