import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { collectAnswer } from '../../rag/collect-answer.ts';
import type { RagRequest } from '../../rag/rag-event.ts';
import { visibleTo } from '../../retrieval/visible-to.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { originOf } from '../origin-of.ts';
import { readBody } from '../read-request.ts';
import { requestSignal } from '../request-signal.ts';
import { streamNewRun } from '../run-stream.ts';
import { toRagAnswer } from '../wire/rag-answer.ts';
import { toRagEvents } from '../wire/rag-events.ts';
import { ragRequest } from '../wire/rag-request.ts';

type RagServices = Pick<HttpServices, 'answerer' | 'runs' | 'limits' | 'log'>;

/** docs/contract.md 5.2: the same events, streamed or collected. */
export function ragRoutes({ answerer, ...services }: RagServices): Router {
  const router = createRouter();
  router.post('/rag', async (request, response) => {
    const { stream, isResumable, request: body, detail } = readBody(request, ragRequest);
    const question: RagRequest = { ...body, search: visibleTo(principalOf(response), body.search) };
    const shownWith = { query: body.query, detail, origin: originOf(request) };
    if (stream) {
      const events = (signal: AbortSignal) => toRagEvents(answerer.answer(question, signal), shownWith);
      const run = { kind: 'rag' as const, conversationId: null, isResumable, events };
      await streamNewRun(request, response, services, run);
      return;
    }
    const created = Math.floor(Date.now() / 1000);
    const answer = await collectAnswer(answerer.answer(question, requestSignal(request, response)));
    const shown = toRagAnswer(answer, { ...shownWith, id: `chatcmpl-${randomUUID()}`, created });
    const { generated_answer, search_results, citations } = shown;
    // docs/contract.md D1: the specification shows these members without the envelope, so they are sent in both
    // places.
    response.json({ ...single(shown), generated_answer, search_results, citations });
  });
  return router;
}
