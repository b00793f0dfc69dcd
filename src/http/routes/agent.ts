import type { Router } from 'express';
import { collectAnswer } from '../../agent/collect-answer.ts';
import { visibleTo } from '../../retrieval/visible-to.ts';
import { principalOf } from '../authenticate.ts';
import { createRouter } from '../create-router.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { originOf } from '../origin-of.ts';
import { readBody } from '../read-request.ts';
import { requestSignal, stopSignal } from '../request-signal.ts';
import { streamNewRun } from '../run-stream.ts';
import { toAgentAnswer } from '../wire/agent-answer.ts';
import { toAgentEvents } from '../wire/agent-events.ts';
import { agentRequest } from '../wire/agent-request.ts';

type AgentServices = Pick<HttpServices, 'agent' | 'runs' | 'limits' | 'log'>;

/** docs/contract.md 5.3: the same events, streamed or collected. */
export function agentRoutes({ agent, ...services }: AgentServices): Router {
  const router = createRouter();
  router.post('/agent', async (request, response) => {
    const { stream, isResumable, request: body, detail } = readBody(request, agentRequest);
    const principal = principalOf(response);
    const prepared = await agent.prepare({ ...body, principal, search: visibleTo(principal, body.search) });
    const { conversationId } = prepared;
    const kind = body.search.kind ?? ('hybrid' as const);
    const context = { query: body.message, kind, detail, origin: originOf(request) };
    response.setHeader('X-Conversation-Id', conversationId);
    if (stream) {
      const events = (signal: AbortSignal) => toAgentEvents(prepared.events(signal), context);
      await streamNewRun(request, response, services, { kind: 'agent', conversationId, isResumable, events });
      return;
    }
    // A resumable request is answered and stored in the conversation even if its caller disconnects.
    const signal = isResumable ? stopSignal(request) : requestSignal(request, response);
    const shown = toAgentAnswer(await collectAnswer(prepared.events(signal)), context);
    const { generated_answer, citations, conversation_id } = shown;
    // docs/contract.md D1: the specification shows these members without the envelope, so they are sent in both
    // places.
    response.json({ ...single(shown), generated_answer, citations, conversation_id });
  });
  return router;
}
