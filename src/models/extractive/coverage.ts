import type { QuestionTerm } from './question.ts';

type TermSet = ReadonlySet<string>;

// Weight of a prefix match relative to an exact match.
const PREFIX_MATCH = 0.7;

/** Share of a question that a set of terms covers, 0 to 1. */
export type Coverage = (terms: TermSet) => number;

/** Coverage with a given weight per term of the question. */
function coverageBy(question: readonly QuestionTerm[], weightOf: (term: QuestionTerm) => number): Coverage {
  const weighted = question.map((term) => ({ forms: term.forms, weight: weightOf(term) }));
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return (terms) => {
    if (total === 0) return 0;
    let covered = 0;
    for (const { forms, weight } of weighted) {
      const form = forms.findIndex((each) => terms.has(each));
      if (form !== -1) covered += form === 0 ? weight : PREFIX_MATCH * weight;
    }
    return covered / total;
  };
}

/** The share of the question's terms that are among these, each counted alike. */
export const shareOf = (question: readonly QuestionTerm[], terms: TermSet): number =>
  question.filter(({ forms }) => forms.some((form) => terms.has(form))).length / Math.max(1, question.length);

const countWith = (texts: readonly TermSet[], { forms }: QuestionTerm): number =>
  texts.filter((terms) => forms.some((form) => terms.has(form))).length;

/** Coverage for choosing among sentences: terms that most sentences contain weigh little (IDF). */
export function coverageAmong(question: readonly QuestionTerm[], sentences: readonly TermSet[]): Coverage {
  return coverageBy(question, (term) => {
    const count = countWith(sentences, term);
    return Math.sqrt(term.weight) * Math.log(1 + (sentences.length - count + 0.5) / (count + 0.5));
  });
}

// Document frequencies of few sources are unreliable: two of two is not ten of ten.
const MIN_SOURCES = 10;

/**
 * Coverage for judging whether sources answer at all. They were found by the question's terms, so a term that all share
 * proves nothing, and one that none contains counts against them.
 */
export function supportAmong(question: readonly QuestionTerm[], sources: readonly TermSet[]): Coverage {
  const size = Math.max(MIN_SOURCES, sources.length);
  return coverageBy(question, (term) => {
    const count = (countWith(sources, term) * size) / Math.max(1, sources.length);
    return term.evidenceWeight * Math.log(1 + (size + 1) / (count + 0.5));
  });
}
