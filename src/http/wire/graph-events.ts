import { z } from 'zod';
import type { Progress } from '../../shared/leased-queue.ts';
import type { PullOutcome } from '../../store/graph-records.ts';
import type { ServerSentEvent } from '../sse.ts';
import { doneSchema, errorSchema, eventSchema } from './stream-events.ts';

/** The result of copying documents' graphs into a collection's graph. */
export const pullRecord = z.object({ success: z.boolean(), documents: z.int() });

export const pullEvent = z
  .union([
    eventSchema('progress', z.object({ done: z.int(), total: z.int() })),
    eventSchema('pulled', pullRecord),
    errorSchema,
    doneSchema,
  ])
  .meta({ id: 'PullEvent' });

export const resetEvent = z
  .union([
    eventSchema('progress', z.object({ done: z.int(), total: z.int() })),
    eventSchema('reset', z.object({ success: z.boolean() })),
    errorSchema,
    doneSchema,
  ])
  .meta({ id: 'ResetEvent' });

export const toPullRecord = ({ documents }: PullOutcome) => ({ success: documents > 0, documents });

/** Addition: `progress` after each document, then `pulled` with the result. */
export async function* toPullEvents(
  steps: AsyncGenerator<Progress, PullOutcome>,
): AsyncGenerator<ServerSentEvent, void> {
  // If the reader disconnects, the request's signal aborts and ends `steps`.
  for (;;) {
    const step = await steps.next();
    if (step.done) return yield { event: 'pulled', data: toPullRecord(step.value) };
    yield { event: 'progress', data: step.value };
  }
}

/** Addition: `progress` after each transaction, then `reset`. The graph is already empty before the first event. */
export async function* toResetEvents(steps: AsyncGenerator<Progress, void>): AsyncGenerator<ServerSentEvent, void> {
  for await (const step of steps) yield { event: 'progress', data: step };
  yield { event: 'reset', data: { success: true } };
}
