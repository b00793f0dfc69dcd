import { type Request, type Response, Router } from 'express';
import { visibleFilter } from '../../access/visible-filter.ts';
import { collectAnswer } from '../../agent/collect-answer.ts';
import { allOf } from '../../documents/filter.ts';
import { ServiceError } from '../../errors.ts';
import type { Run } from '../../runs/run.ts';
import { defaultRunLogSettings, RunLog } from '../../runs/run-log.ts';
import { principalOf } from '../authenticate.ts';
import { single } from '../envelope.ts';
import type { HttpServices } from '../http-services.ts';
import { readBody } from '../read-body.ts';
import { requestSignal, stopSignal } from '../request-signal.ts';
import { type ServerSentEvent, sendEvents } from '../sse.ts';
import { failureEvent, streamOptions } from '../stream-options.ts';
import { onlyMethods } from '../unknown-route.ts';
import { toAgentAnswer } from '../wire/agent-answer.ts';
import { toAgentEvents } from '../wire/agent-events.ts';
import { agentRequest } from '../wire/agent-request.ts';

type AgentServices = Pick<HttpServices, 'agent' | 'limits' | 'log'>;

/** spec.md 4.3, r2r-v3.md 5.3, and the streams that can be taken up again. */
export function agentRoutes({ agent, limits, log }: AgentServices): Router {
  const runs = new RunLog<ServerSentEvent>({ ...defaultRunLogSettings, grace: limits.resumeGrace });
  const router = Router();
  router
    .route('/agent')
    .post(async (request, response) => {
      const { stream, isResumable, request: asked, detail } = readBody(request, agentRequest);
      const principal = principalOf(response);
      const filter = allOf(visibleFilter(principal), asked.search.filter);
      const prepared = await agent.prepare({ ...asked, principal, search: { ...asked.search, filter } });
      const context = { query: asked.message, kind: asked.search.kind ?? ('hybrid' as const), detail };
      response.setHeader('X-Conversation-Id', prepared.conversationId);
      if (!stream) {
        const answer = await collectAnswer(prepared.events(requestSignal(request, response)));
        const shown = toAgentAnswer(answer, context);
        const { generated_answer, citations, conversation_id } = shown;
        // D1: the specification shows these without the envelope, so they are at both places.
        response.json({ ...single(shown), generated_answer, citations, conversation_id });
        return;
      }
      const run = runs.start({
        ownerId: principal.userId,
        isResumable,
        stopping: stopSignal(request),
        produce: (signal) => withFailure(toAgentEvents(prepared.events(signal), context), signal),
      });
      await sendRun(request, response, run, 0);
    })
    .all(onlyMethods('POST'));

  router
    .route('/runs')
    .get((_request, response) => {
      const records = runs.list(principalOf(response).userId);
      response.json({ results: records, total_entries: records.length });
    })
    .all(onlyMethods('GET'));
  router
    .route('/runs/:id')
    .get((request, response) => {
      response.json(single(runs.get(request.params.id, principalOf(response).userId).record));
    })
    .all(onlyMethods('GET'));
  router
    .route('/runs/:id/events')
    .get(async (request, response) => {
      const run = runs.get(request.params.id, principalOf(response).userId);
      await sendRun(request, response, run, lastEventNumber(request, run.id));
    })
    .all(onlyMethods('GET'));
  router
    .route('/runs/:id/cancel')
    .post((request, response) => {
      const run = runs.get(request.params.id, principalOf(response).userId);
      run.cancel();
      response.json(single(run.record));
    })
    .all(onlyMethods('POST'));
  return router;

  /** A failure becomes the run's last event, for whoever reads it and whenever. */
  async function* withFailure(
    events: AsyncIterable<ServerSentEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<ServerSentEvent, void> {
    try {
      yield* events;
    } catch (thrown) {
      yield failureEvent(signal.aborted ? signal.reason : thrown, log);
    }
  }

  async function sendRun(request: Request, response: Response, run: Run<ServerSentEvent>, after: number) {
    const signal = requestSignal(request, response);
    response.setHeader('X-Run-Id', run.id);
    await sendEvents(response, numbered(run, after, signal), streamOptions(signal, limits, log));
  }
}

async function* numbered(
  run: Run<ServerSentEvent>,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent, void> {
  for await (const { number, event } of run.follow(after, signal)) yield { ...event, id: `${run.id}:${number}` };
}

/** `Last-Event-ID` as browsers send it, or `after` in the query; 0 means from the beginning. */
function lastEventNumber(request: Request, runId: string): number {
  const { after } = request.query;
  const given = request.get('last-event-id') ?? (typeof after === 'string' ? after : undefined);
  if (given === undefined || given === '') return 0;
  const [id, digits] = given.includes(':') ? given.split(':') : [runId, given];
  if (id === runId && digits !== undefined && /^\d{1,9}$/.test(digits)) return Number(digits);
  throw new ServiceError('invalid_request', `"${given}" is not an event of the run ${runId}.`);
}
