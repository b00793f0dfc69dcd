import type { QuestionTerm } from './question.ts';

type TermSet = ReadonlySet<string>;

// A word met only by its beginning is met in part.
const VAGUE_MATCH = 0.7;

/** How much of a question a set of terms covers, from 0 to 1. */
export type Coverage = (terms: TermSet) => number;

/** Coverage by given weights, one for each term of the question. */
function coverageBy(question: readonly QuestionTerm[], weightOf: (term: QuestionTerm) => number): Coverage {
  const weighted = question.map((term) => ({ forms: term.forms, weight: weightOf(term) }));
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  return (terms) => {
    if (total === 0) return 0;
    let covered = 0;
    for (const { forms, weight } of weighted) {
      const form = forms.findIndex((each) => terms.has(each));
      if (form !== -1) covered += form === 0 ? weight : VAGUE_MATCH * weight;
    }
    return covered / total;
  };
}

const countWith = (texts: readonly TermSet[], { forms }: QuestionTerm): number =>
  texts.filter((terms) => forms.some((form) => terms.has(form))).length;

/** For choosing among sentences: a term that most of them have says little. */
export function coverageAmong(question: readonly QuestionTerm[], sentences: readonly TermSet[]): Coverage {
  return coverageBy(question, (term) => {
    const count = countWith(sentences, term);
    return Math.sqrt(term.weight) * Math.log(1 + (sentences.length - count + 0.5) / (count + 0.5));
  });
}

// A word that two of two passages share is no more telling than one that ten of ten do.
const MIN_PASSAGES = 10;

/**
 * For judging whether passages answer at all. They were found by the question's words, so a word they all share is no
 * proof, and one that none has speaks against them.
 */
export function supportAmong(question: readonly QuestionTerm[], passages: readonly TermSet[]): Coverage {
  const size = Math.max(MIN_PASSAGES, passages.length);
  return coverageBy(question, (term) => {
    const count = (countWith(passages, term) * size) / Math.max(1, passages.length);
    return term.proof * Math.log(1 + (size + 1) / (count + 0.5));
  });
}
