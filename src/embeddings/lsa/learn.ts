import type { LearnedTerms } from './artefact.ts';
import type { ChunkTermCounts } from './chunk-term-counts.ts';
import { truncatedSvd } from './truncated-svd.ts';

/** Maximum rank; with the extra dimension for unknown texts, vectors have 300 dimensions (docs/decisions.md). */
const MAX_DIRECTIONS = 299;
/** In a small corpus, as many dimensions as chunks would only represent which words a chunk has. */
const CHUNKS_PER_DIRECTION = 2;
/** Rarer terms occur in very few chunks and would need too much memory. */
const MAX_TERMS = 40_000;
/** Exponent of the singular values: the weight of directions shared by many chunks relative to rare ones. */
const COMMON_POWER = 0.25;
const SEED = 20_110_527;
const POWER_ITERATIONS = 1;

export type LearningStep = { readonly done: number; readonly total: number };

/** Trains LSA (latent semantic analysis) by a truncated SVD. Long-running; intended for a worker thread. */
export function learn(
  counts: ChunkTermCounts,
  onStep: (step: LearningStep) => void = () => {},
): Omit<LearnedTerms, 'centre'> {
  const { matrix, terms, weights, knownShare } = counts.weigh(MAX_TERMS);
  const rank = Math.max(1, Math.min(MAX_DIRECTIONS, Math.floor(matrix.rowCount / CHUNKS_PER_DIRECTION)));
  const { right, singularValues } = truncatedSvd(matrix, {
    rank,
    seed: SEED,
    powerIterations: POWER_ITERATIONS,
    onProgress: onStep,
  });
  // Folding in multiplies each term's direction by its weight, so precompute the product.
  const { width, values } = right;
  const powers = singularValues.map((value) => value ** COMMON_POWER);
  for (const [row, weight] of weights.entries()) {
    for (let at = 0; at < width; at++) {
      values[row * width + at] = (values[row * width + at] ?? 0) * weight * (powers[at] ?? 0);
    }
  }
  return { terms, width, directions: values, chunkCount: counts.chunkCount, knownShare };
}
