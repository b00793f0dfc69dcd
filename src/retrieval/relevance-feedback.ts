import { unitVector } from '../embeddings/unit-vector.ts';
import type { ChunkSearch } from '../store/chunk-search.ts';
import type { EmbeddedQuery } from './embed-query.ts';

/** Number of top hits of both legs that are assumed to be relevant. */
export const FEEDBACK_HITS = 3;

interface FeedbackRequest {
  readonly chunks: Pick<ChunkSearch, 'vectorsOf'>;
  readonly query: EmbeddedQuery;
  /** Keys of the best hits. */
  readonly keys: readonly number[];
  readonly signal: AbortSignal;
}

/**
 * Pseudo-relevance feedback (Rocchio): averages the query's vector with the mean of the top hits, to find chunks with
 * the same content in other words. Undefined when there are no vectors to use.
 */
export async function applyRelevanceFeedback({
  chunks,
  query,
  keys,
  signal,
}: FeedbackRequest): Promise<EmbeddedQuery | undefined> {
  const found = await chunks.vectorsOf?.(keys, query.space, signal);
  const mean = found && unitVector(sumOf([...found.values()], query.vector.length));
  const blended = mean && unitVector(sumOf([query.vector, mean], query.vector.length));
  return blended && { vector: blended, space: query.space };
}

function sumOf(vectors: readonly Float32Array[], dimensions: number): Float64Array {
  const sum = new Float64Array(dimensions);
  for (const vector of vectors) for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  return sum;
}
