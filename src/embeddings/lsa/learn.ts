import type { LearnedTerms } from './artefact.ts';
import type { PassageCounts } from './passage-counts.ts';
import { truncatedSvd } from './truncated-svd.ts';

/** Directions learned at most; with that of unknown texts, vectors have 300 dimensions (docs/decisions.md). */
const MOST_DIRECTIONS = 299;
/** In a small corpus, as many directions as passages would tell nothing but which words a passage has. */
const PASSAGES_PER_DIRECTION = 2;
/** Terms beyond these stand in very few of many passages, and would fill the memory. */
const MOST_TERMS = 40_000;
/** How much what many passages share counts beyond what a few do: the power of the singular values. */
const COMMON_POWER = 0.25;
const SEED = 20_110_527;
const POWER_ITERATIONS = 1;

export type LearningStep = { readonly done: number; readonly total: number };

/** Learns which terms go together. Takes as long as it takes: for a thread of its own. */
export function learn(counts: PassageCounts, onStep: (step: LearningStep) => void = () => {}): LearnedTerms {
  const { matrix, terms, weights, knownShare } = counts.weigh(MOST_TERMS);
  const rank = Math.max(1, Math.min(MOST_DIRECTIONS, Math.floor(matrix.rowCount / PASSAGES_PER_DIRECTION)));
  const { right, singularValues } = truncatedSvd(matrix, {
    rank,
    seed: SEED,
    powerIterations: POWER_ITERATIONS,
    between: onStep,
  });
  // Folding in multiplies each term's weight with its direction; done here, once.
  const { width, values } = right;
  const powers = singularValues.map((value) => value ** COMMON_POWER);
  for (const [row, weight] of weights.entries()) {
    for (let at = 0; at < width; at++) {
      values[row * width + at] = (values[row * width + at] ?? 0) * weight * (powers[at] ?? 0);
    }
  }
  return { terms, width, directions: values, passages: counts.passages, knownShare };
}
