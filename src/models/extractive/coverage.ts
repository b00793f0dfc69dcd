import type { QuestionTerm } from './question.ts';
import type { Matches } from './term-matches.ts';

/** Share of a question that is matched, 0 to 1. */
export type Coverage = (matches: Matches) => number;

/** Coverage with a weight for each term, and those weights. */
export interface WeightedCoverage {
  readonly of: Coverage;
  /** Weight of the heaviest unmatched term, relative to the heaviest of all. */
  readonly missing: Coverage;
}

function coverageBy(weights: readonly number[]): WeightedCoverage {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const max = Math.max(0, ...weights);
  return {
    of: (matches) =>
      total === 0 ? 0 : weights.reduce((sum, weight, index) => sum + weight * (matches[index] ?? 0), 0) / total,
    missing: (matches) =>
      max === 0 ? 0 : Math.max(0, ...weights.map((weight, index) => weight * (1 - (matches[index] ?? 0)))) / max,
  };
}

const countOf = (texts: readonly Matches[], index: number): number =>
  texts.reduce((sum, matches) => sum + (matches[index] ?? 0), 0);

/** Share of the question's terms that are matched, equally weighted, without words such as "tall" in "how tall". */
export function shareAmong(question: readonly QuestionTerm[]): Coverage {
  const counted = question.map(({ weight, evidenceWeight }) => (evidenceWeight < weight ? 0 : 1));
  return coverageBy(counted.includes(1) ? counted : question.map(() => 1)).of;
}

/** Coverage for choosing among sentences: terms that most sentences contain weigh little (IDF). */
export function coverageAmong(question: readonly QuestionTerm[], sentences: readonly Matches[]): WeightedCoverage {
  return coverageBy(
    question.map((term, index) => {
      const count = countOf(sentences, index);
      return Math.sqrt(term.weight) * Math.log(1 + (sentences.length - count + 0.5) / (count + 0.5));
    }),
  );
}

// Document frequencies of few sources are unreliable: two of two is not ten of ten.
const MIN_SOURCES = 10;

/**
 * Coverage for judging whether sources answer at all. They were found by the question's terms, so a term that all share
 * proves nothing, and one that none contains counts against them.
 */
export function supportAmong(question: readonly QuestionTerm[], sources: readonly Matches[]): WeightedCoverage {
  const size = Math.max(MIN_SOURCES, sources.length);
  return coverageBy(
    question.map((term, index) => {
      const count = (countOf(sources, index) * size) / Math.max(1, sources.length);
      return term.evidenceWeight * Math.log(1 + (size + 1) / (count + 0.5));
    }),
  );
}
