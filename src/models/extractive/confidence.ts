/** Features of the passages found for a question; shares are 0 to 1. */
export interface AnswerEvidence {
  /** Support of each passage, in order of rank. */
  readonly supports: readonly number[];
  /** Support of the best quote alone. */
  readonly quoteSupport: number;
  /** Full-text scores of the passages, best first; needs at least two. */
  readonly scores: readonly number[];
  /** Number of terms of the question. */
  readonly termCount: number;
  /** Share of the question in scripts without spaces, which are indexed as character bigrams or trigrams. */
  readonly ngramShare: number;
  /** Share of those in scripts indexed as trigrams, such as Thai. */
  readonly trigramShare: number;
  /** Whether the question is known to be in a language with inflection, other than English. */
  readonly isInflected: boolean;
}

interface Weights {
  readonly bias: number;
  readonly support: number;
  readonly quoteSupport: number;
  readonly gap: number;
  readonly termCount: number;
  readonly ngramShare: number;
  readonly trigramShare: number;
  readonly inflected: number;
  /** Lead of the best score over the second and over the fifth, relative to it. */
  readonly leadOverSecond: number;
  readonly leadOverFifth: number;
}

// Logistic regression, fitted on the tuning half of XQuAD (en, de, es, ru, ar, hi, zh) with and without the answering
// document; the bias and the weights of languages, Thai included, were then adjusted by hand on that half.
const WITH_SCORES: Weights = {
  ...{ bias: -8.95, support: 4.74, quoteSupport: 4.26, gap: 1.1, termCount: 0.273, ngramShare: 0.9 },
  ...{ inflected: 0.35, trigramShare: -0.8, leadOverSecond: 2.28, leadOverFifth: 3.63 },
};
// Derived by hand from a fit with one more feature; not measured separately.
const WITHOUT_SCORES: Weights = {
  ...{ bias: -7.65, support: 4.9, quoteSupport: 4, gap: 5.28, termCount: 0.32, ngramShare: 1.2 },
  ...{ inflected: 0.35, trigramShare: -0.8, leadOverSecond: 0, leadOverFifth: 0 },
};
const MAX_TERMS = 10;

/** Whether the passages probably answer the question, or are only the nearest ones. */
export function isConfident({ supports, quoteSupport, scores, termCount, ...question }: AnswerEvidence): boolean {
  const [best = 0, second = best / 2] = supports.toSorted((a, b) => b - a);
  const weights = scores.length > 1 ? WITH_SCORES : WITHOUT_SCORES;
  const lead = (place: number) => {
    const [top = 0] = scores;
    const other = scores[Math.min(place, scores.length - 1)] ?? 0;
    return top > 0 ? (top - other) / top : 0;
  };
  const score =
    weights.bias +
    weights.support * best +
    weights.quoteSupport * quoteSupport +
    weights.gap * (best - second) +
    weights.termCount * Math.min(MAX_TERMS, termCount) +
    weights.ngramShare * question.ngramShare +
    weights.trigramShare * question.trigramShare +
    (question.isInflected ? weights.inflected : 0) +
    weights.leadOverSecond * lead(1) +
    weights.leadOverFifth * lead(4);
  return score > 0;
}
