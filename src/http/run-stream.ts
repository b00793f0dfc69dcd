import type { Request, Response } from 'express';
import { audienceFor } from '../access/principal.ts';
import { ServiceError } from '../errors.ts';
import type { ReadableRun, RunEvent } from '../runs/run.ts';
import { principalOf } from './authenticate.ts';
import { streamError } from './failure.ts';
import type { HttpServices } from './http-services.ts';
import { readQuery } from './read-request.ts';
import { RUN_ID, requestSignal } from './request-signal.ts';
import { type EncodedEvent, type ServerSentEvent, sendEvents, streamOptions } from './sse.ts';
import { afterQuery } from './wire/query.ts';
import { errorEvent } from './wire/stream-events.ts';

type RunServices = Pick<HttpServices, 'runs' | 'limits' | 'log'>;

interface NewRun {
  readonly kind: 'agent' | 'rag';
  readonly conversationId: string | null;
  readonly isResumable: boolean;
  events(signal: AbortSignal): AsyncIterable<ServerSentEvent>;
}

/** Starts the work of a request as a run and streams its events; an interrupted stream can be resumed. */
export async function streamNewRun(
  request: Request,
  response: Response,
  { runs, ...services }: RunServices,
  { kind, conversationId, isResumable, events }: NewRun,
): Promise<void> {
  const owner = principalOf(response);
  const audience = audienceFor(owner);
  const run = await runs.start({
    ownerId: owner.userId,
    kind,
    conversationId,
    isResumable,
    produce: (signal) => encoded(untilFinalAnswer(events(signal), services), isResumable),
    // Written once for all readers, so that it tells no more than the owner may read.
    onFailure: (thrown) => encode(errorEvent(streamError(thrown, { audience, log: services.log }))),
  });
  await streamRun(request, response, services, { run, after: 0 });
}

/** Streams a run's events after a given one, including those still to come. */
export async function streamRun(
  request: Request,
  response: Response,
  { limits, log }: Pick<HttpServices, 'limits' | 'log'>,
  { run, after }: { readonly run: ReadableRun; readonly after: number },
): Promise<void> {
  const signal = requestSignal(request, response);
  response.setHeader(RUN_ID, run.id);
  await sendEvents(response, numbered(run, after, signal), streamOptions(response, signal, { limits, log }));
}

/** Number of the last received event, from the header `Last-Event-ID` or the query's `after`; 0 if there is none. */
export function lastEventNumber(request: Request, runId: string): number {
  const given = request.get('last-event-id') ?? readQuery(request, afterQuery).after ?? '';
  if (given === '') return 0;
  const [id, digits] = given.includes(':') ? given.split(':') : [runId, given];
  if (id === runId && digits !== undefined && /^\d{1,9}$/.test(digits)) return Number(digits);
  throw new ServiceError(
    'invalid_request',
    `"${given}" is not an event of the run ${runId}; send the id of the last received event.`,
  );
}

async function* numbered(run: ReadableRun, after: number, signal: AbortSignal): AsyncGenerator<EncodedEvent, void> {
  for await (const { number, event, json } of run.follow(after, signal)) {
    yield { event, json, id: `${run.id}:${number}` };
  }
}

/** Ends the stream after the final answer, which no other event may follow; later failures are only logged. */
async function* untilFinalAnswer(
  events: AsyncIterable<ServerSentEvent>,
  { log }: Pick<HttpServices, 'log'>,
): AsyncGenerator<ServerSentEvent, void> {
  let isAnswered = false;
  try {
    for await (const event of events) {
      isAnswered ||= event.event === 'final_answer';
      yield event;
    }
  } catch (thrown) {
    if (!isAnswered) throw thrown;
    log.warn({ err: thrown }, 'A run failed after its answer was sent.');
  }
}

/** Only clients that ask for a resumable stream know our additional events. */
async function* encoded(events: AsyncIterable<ServerSentEvent>, hasAdditions: boolean): AsyncGenerator<RunEvent, void> {
  for await (const event of events) if (hasAdditions || event.event !== 'waiting') yield encode(event);
}

const encode = ({ event, data }: ServerSentEvent): RunEvent => ({ event, json: JSON.stringify(data) });
