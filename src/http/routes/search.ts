import type { Router } from 'express';
import { visibleTo } from '../../retrieval/visible-to.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { searchRequest } from '../wire/search-request.ts';
import { toSearchResults } from '../wire/search-results.ts';

/** docs/contract.md 5.1. */
export function searchRoutes({ retriever }: Pick<HttpServices, 'retriever'>): Router {
  const router = createRouter();
  router.post('/search', async (request, response) => {
    const { query, settings, detail } = readBody(request, searchRequest);
    const visible = visibleTo(principalOf(response), settings);
    const outcome = await retriever.search(query, visible, requestSignal(request, response));
    response.json(single(toSearchResults(outcome, query, detail)));
  });
  return router;
}
