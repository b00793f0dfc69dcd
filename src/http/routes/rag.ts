import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { visibleFilter } from '../../access/visible-filter.ts';
import { allOf } from '../../documents/filter.ts';
import { collectAnswer } from '../../rag/collect-answer.ts';
import type { RagRequest } from '../../rag/rag-event.ts';
import { principalOf } from '../authenticate.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-body.ts';
import { requestSignal } from '../request-signal.ts';
import { sendEvents } from '../sse.ts';
import { streamOptions } from '../stream-options.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toRagAnswer } from '../wire/rag-answer.ts';
import { toRagEvents } from '../wire/rag-events.ts';
import { ragRequest } from '../wire/rag-request.ts';

/** spec.md 4.2, r2r-v3.md 5.2: the same events, streamed or collected. */
export function ragRoutes({ answerer, limits, log }: Pick<HttpServices, 'answerer' | 'limits' | 'log'>): Router {
  const router = Router();
  router
    .route('/rag')
    .post(async (request, response) => {
      const { stream, request: asked, detail } = readBody(request, ragRequest);
      const filter = allOf(visibleFilter(principalOf(response)), asked.search.filter);
      const question: RagRequest = { ...asked, search: { ...asked.search, filter } };
      const signal = requestSignal(request, response);
      const events = answerer.answer(question, signal);
      if (stream) {
        await sendEvents(response, toRagEvents(events, asked.query, detail), streamOptions(signal, limits, log));
        return;
      }
      const created = Math.floor(Date.now() / 1000);
      const answer = await collectAnswer(events);
      const shown = toRagAnswer(answer, { query: asked.query, detail, id: `chatcmpl-${randomUUID()}`, created });
      const { generated_answer, search_results, citations } = shown;
      // D1: the specification shows these without the envelope, so they are at both places.
      response.json({ ...single(shown), generated_answer, search_results, citations });
    })
    .all(onlyMethods('POST'));
  return router;
}
