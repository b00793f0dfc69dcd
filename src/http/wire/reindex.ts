import { z } from 'zod';
import type { ReindexRequest } from '../../embeddings/corpus/corpus-embedder.ts';
import type { ReindexProgress, VectorSpace } from '../../store/vector-spaces.ts';
import type { ServerSentEvent } from '../sse.ts';
import { timestamp } from './record-parts.ts';
import { doneSchema, errorSchema, eventSchema } from './stream-events.ts';
import { optional } from './tolerant.ts';

export const reindexEvent = z
  .union([
    eventSchema(
      'progress',
      z.object({
        done: z.int(),
        total: z.int(),
        trained: z.number().exactOptional().describe('While the embedder is trained, before that: the share done.'),
      }),
    ),
    eventSchema(
      'reindexed',
      z.object({
        embedder: z.string(),
        version: z.string(),
        dimensions: z.int(),
        collection: z.string(),
        state: z.enum(['current', 'building', 'previous']),
        vectors: z.int(),
        created_at: timestamp,
      }),
    ),
    errorSchema,
    doneSchema,
  ])
  .meta({ id: 'ReindexEvent' });

/** Addition: the embedder to change to, or `back` to return to the previous one. */
export const reindexRequest = z
  .object({ model: optional(z.string().min(1)), back: optional(z.boolean()) })
  .transform(({ model, back }): ReindexRequest => ({ ...(model === undefined ? {} : { model }), back: back ?? false }));

/** Addition: `progress` of training and embedding, then `reindexed` with the vector space that is now in use. */
export async function* toReindexEvents(
  steps: AsyncGenerator<ReindexProgress, VectorSpace>,
): AsyncGenerator<ServerSentEvent, void> {
  // If the reader disconnects, the request's signal aborts and ends `steps`.
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return yield { event: 'reindexed', data: toSpaceRecord(step.value) };
    const { done, total, trained } = step.value;
    yield { event: 'progress', data: { done, total, ...(trained !== undefined && { trained }) } };
  }
}

function toSpaceRecord({ embedder, version, dimensions, collection, state, vectors, createdAt }: VectorSpace) {
  return { embedder, version, dimensions, collection, state, vectors, created_at: createdAt };
}
