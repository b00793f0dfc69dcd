import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import { raceAbort } from '../shared/abort.ts';
import { LruMap } from '../shared/lru-map.ts';
import { isSameSpace, type VectorSpaceName } from '../store/vector-index.ts';

/** A query's vector and its space. */
export interface EmbeddedQuery {
  readonly vector: Float32Array;
  readonly space: VectorSpaceName;
}

/** Embeds a query. */
export type EmbedQuery = (text: string, signal: AbortSignal) => Promise<EmbeddedQuery>;

const MAX_CACHED_QUERIES = 256;

/**
 * Embeds queries. Concurrent requests for the same query share one call, and recent vectors are kept for paging and
 * repeated searches, so all searches of a service should use the same one.
 */
export function createQueryEmbedder(embedder: EmbeddingModel): EmbedQuery {
  const known = new LruMap<string, Float32Array>({ max: MAX_CACHED_QUERIES });
  const pending = new Map<string, Promise<Float32Array>>();

  async function embedShared(key: string, text: string, signal: AbortSignal): Promise<Float32Array> {
    const shared = pending.get(key);
    if (shared !== undefined) {
      // Its caller may abort, which must not fail this one.
      const own = shared.catch(() => embedOne(embedder, text, signal));
      return raceAbort(own, signal);
    }
    const embedding = embedOne(embedder, text, signal);
    pending.set(key, embedding);
    try {
      return await embedding;
    } finally {
      pending.delete(key);
    }
  }

  return async (text, signal) => {
    for (;;) {
      const space = await embedder.space(signal);
      // The corpus may switch to another or a retrained embedder during the call.
      const key = [space.embedder, space.version, space.dimensions, text].join('\n');
      const vector = known.get(key) ?? (await embedShared(key, text, signal));
      if (!isSameSpace(space, await embedder.space(signal))) continue;
      known.set(key, vector);
      return { vector, space };
    }
  };
}

const MAX_ATTEMPTS = 5;
const PAUSE_MS = 20;

/**
 * Runs a search with an embedded query, and retries with a new vector when the corpus has switched to another embedder:
 * the records switch first, and the embedder follows a moment later.
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
      const isSpaceSwitch = error instanceof ServiceError && error.code === 'embedding_mismatch';
      if (!isSpaceSwitch || attempt === MAX_ATTEMPTS) throw error;
      await sleep(attempt * PAUSE_MS);
    }
  }
}

async function embedOne(embedder: EmbeddingModel, text: string, signal: AbortSignal): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], 'query', signal);
  if (vector) return vector;
  throw new ServiceError('provider_failed', `The embedder ${embedder.name} gave no vector for the query. Try again.`);
}
