import { z } from 'zod';
import type { ReindexRequest } from '../../embeddings/corpus/corpus-embedder.ts';
import type { ReindexProgress, VectorSpace } from '../../store/vector-spaces.ts';
import type { ServerSentEvent } from '../sse.ts';
import { timestamp } from './record-parts.ts';
import { doneSchema, errorSchema, eventSchema } from './stream-events.ts';
import { optional } from './tolerant.ts';

export const reindexEvent = z
  .union([
    eventSchema('progress', z.object({ done: z.int(), total: z.int() })),
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

/** Ours: which embedder to change to, or back to the one before. */
export const reindexRequest = z
  .object({ model: optional(z.string().min(1)), back: optional(z.boolean()) })
  .transform(({ model, back }): ReindexRequest => ({ ...(model === undefined ? {} : { model }), back: back ?? false }));

/** Ours: `progress` as chunks are embedded, then `reindexed` with the space that is searched from now on. */
export async function* toReindexEvents(
  steps: AsyncGenerator<ReindexProgress, VectorSpace>,
): AsyncGenerator<ServerSentEvent, void> {
  // A reader that leaves aborts the request's signal, and that ends `steps`.
  for (;;) {
    const step = await steps.next();
    if (step.done === true) return yield { event: 'reindexed', data: toSpaceRecord(step.value) };
    yield { event: 'progress', data: { done: step.value.done, total: step.value.total } };
  }
}

function toSpaceRecord({ embedder, version, dimensions, collection, state, vectors, createdAt }: VectorSpace) {
  return { embedder, version, dimensions, collection, state, vectors, created_at: createdAt };
}
