import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { VectorSpaceName } from '../store/vector-index.ts';

/** A query's vector and the space it is of. */
export interface EmbeddedQuery {
  readonly vector: Float32Array;
  readonly space: VectorSpaceName;
}

/** Turns a query into its vector. */
export type EmbedQuery = (text: string, signal: AbortSignal) => Promise<EmbeddedQuery>;

const QUERIES_KEPT = 256;

/** Embeds queries, remembering the last ones: paging and asking again cost no second call. */
export function createQueryEmbedder(embedder: EmbeddingModel): EmbedQuery {
  const known = new Map<string, Float32Array>();
  return async (text, signal) => {
    for (;;) {
      const space = await embedder.space(signal);
      // The corpus may be moved to another embedder, or to what one has learned anew, while this one is held.
      const key = [space.embedder, space.version, space.dimensions, text].join('\n');
      const vector = known.get(key) ?? (await embedOne(embedder, text, signal));
      if (!isSame(space, await embedder.space(signal))) continue;
      known.delete(key);
      known.set(key, vector);
      const [oldest] = known.keys();
      if (known.size > QUERIES_KEPT && oldest !== undefined) known.delete(oldest);
      return { vector, space };
    }
  };
}

const MOVES_AWAITED = 5;
const PAUSE_MS = 20;

/**
 * Searches with an embedded query, and once more with the new embedder's when the corpus was moved to it meanwhile:
 * records come first, and the embedder follows a moment later.
 */
export async function withCurrentVector<Result>(
  embed: () => Promise<EmbeddedQuery>,
  search: (query: EmbeddedQuery) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const query = await embed();
    try {
      return await search(query);
    } catch (error) {
      const hasMoved = error instanceof ServiceError && error.code === 'embedding_mismatch';
      if (!hasMoved || attempt === MOVES_AWAITED) throw error;
      await sleep(attempt * PAUSE_MS);
    }
  }
}

const isSame = (one: VectorSpaceName, two: VectorSpaceName): boolean =>
  one.embedder === two.embedder && one.version === two.version && one.dimensions === two.dimensions;

async function embedOne(embedder: EmbeddingModel, text: string, signal: AbortSignal): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], 'query', signal);
  if (vector) return vector;
  throw new ServiceError('provider_failed', `The embedder ${embedder.name} gave no vector for the query. Try again.`);
}
