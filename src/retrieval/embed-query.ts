import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';

/** Turns a query into its vector. */
export type EmbedQuery = (text: string, signal: AbortSignal) => Promise<Float32Array>;

const QUERIES_KEPT = 256;

/** Embeds queries, remembering the last ones: paging and asking again cost no second call. */
export function createQueryEmbedder(embedder: EmbeddingModel): EmbedQuery {
  const known = new Map<string, Float32Array>();
  return async (text, signal) => {
    // The corpus may be moved to another embedder while this one is held.
    const key = `${embedder.name}\n${text}`;
    const vector = known.get(key) ?? (await embedOne(embedder, text, signal));
    known.delete(key);
    known.set(key, vector);
    const [oldest] = known.keys();
    if (known.size > QUERIES_KEPT && oldest !== undefined) known.delete(oldest);
    return vector;
  };
}

async function embedOne(embedder: EmbeddingModel, text: string, signal: AbortSignal): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], 'query', signal);
  if (vector) return vector;
  throw new ServiceError('provider_failed', `The embedder ${embedder.name} gave no vector for the query. Try again.`);
}
