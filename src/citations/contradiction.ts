import { UNSPACED } from '../shared/unspaced-scripts.ts';
import { type Comparison, isDeniedIn } from './denial.ts';
import { isNegativeUnspaced, withoutNegation } from './negation.ts';
import { hasOtherFigures } from './number-labels.ts';
import { countOf } from './numbers.ts';
import { oppositesOf } from './opposites.ts';
import type { SourceSentence } from './source-sentences.ts';
import type { TextAnalyser } from './text-analyser.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Word, wordsOf } from './words.ts';

/** Share of the statement's terms in a sentence from which the sentence is about the same. */
const MIN_SAME = 0.7;
/** Sentences with nearly as many terms as the best one are about the same as well. */
const NEARLY = 0.1;
/** Words between a number and what it counts: "two part-time maintainers". */
const WORDS_COUNTED = 3;

/**
 * Whether the sentences of a text that share most terms with a statement negate what it states, state what it negates, or
 * give other numbers, from "no" to twelve, of the things it counts. False if the statement is spread over several
 * sentences. In scripts without spaces, clauses are compared, and only for negations and opposites.
 */
export function createContradictionCheck(
  statement: string,
  analyser: TextAnalyser,
): (sentences: readonly SourceSentence[]) => boolean {
  if (UNSPACED.test(statement)) return createUnspacedCheck(statement);
  const words = wordsOf(statement, analyser);
  const counts = words.filter((word) => countOf(word.text, word.before) !== undefined);
  const counted = new Set(counts.flatMap(({ terms }) => terms));
  const about = words
    .filter((word) => !/^\d/.test(word.text) && word.terms.some((term) => !counted.has(term)))
    .map(({ text, terms }) => [...terms, ...oppositesOf(text).flatMap((word) => analyser.analyse(word))]);
  const shareOf = (given: ReadonlySet<string>) =>
    about.filter((terms) => terms.some((term) => given.has(term))).length / about.length;
  /** A sentence such as "It is closed on Sundays" is about the subject of the one before. */
  const shareAt = (place: number, sentences: readonly SourceSentence[]): number => {
    const [before, sentence] = [sentences[place - 1], sentences[place]];
    const own = shareOf(sentence?.terms ?? new Set());
    if (before === undefined || own === 0 || sentence?.subject().refersBack !== true) return own;
    const subject = before.subject().units.flatMap((unit) => unit.terms);
    return shareOf(new Set([...(sentence?.terms ?? []), ...subject]));
  };
  return (sentences) => {
    if (about.length === 0) return false;
    const shares = sentences.map((_, place) => shareAt(place, sentences));
    const best = shares.reduce((most, share) => Math.max(most, share), 0);
    if (best < MIN_SAME) return false;
    return sentences
      .filter((_, place) => (shares[place] ?? 0) >= Math.max(MIN_SAME, best - NEARLY))
      .every((sentence) => {
        const compared = { statement: words, sentence: sentence.words() };
        return isDeniedIn(compared) || isCountedOtherwise(compared) || hasOtherFigures(compared);
      });
  };
}

function createUnspacedCheck(statement: string): (sentences: readonly SourceSentence[]) => boolean {
  const stated = unspacedClauses(tokensOf(statement, [])).filter(({ terms }) => terms.size > 1);
  return (sentences) => {
    const given = sentences.flatMap((sentence) => unspacedClauses(sentence.tokens()));
    return stated.some((clause) => {
      const shared = given.map(({ terms }) => clause.terms.intersection(terms));
      const best = shared.reduce((most, { size }) => Math.max(most, size / clause.terms.size), 0);
      if (best < MIN_SAME) return false;
      return given.every((other, place) => {
        const common = shared[place] ?? new Set();
        if (common.size / clause.terms.size < Math.max(MIN_SAME, best - NEARLY)) return true;
        return clause.negated.isDisjointFrom(common) !== other.negated.isDisjointFrom(common);
      });
    });
  };
}

interface UnspacedClause {
  readonly terms: ReadonlySet<string>;
  /** What its last negation may apply to: in Chinese the word after it, in Japanese the one before it. */
  readonly negated: ReadonlySet<string | undefined>;
}

function unspacedClauses(tokens: readonly Token[]): UnspacedClause[] {
  const clauses: Token[][] = [];
  for (const token of tokens) {
    if (token.border > 0) clauses.push([]);
    clauses.at(-1)?.push(token);
  }
  return clauses.map((clause) => {
    const terms = clause.map(({ term }) => (term === undefined ? '' : withoutNegation(term)));
    const place = clause.findLastIndex((_, from) =>
      isNegativeUnspaced(
        clause
          .slice(from)
          .map(({ text }) => text)
          .join(''),
      ),
    );
    const beside =
      place < 0 ? [] : [terms[place], terms.slice(0, place).findLast(Boolean), terms.slice(place + 1).find(Boolean)];
    return { terms: new Set(terms.filter(Boolean)), negated: new Set(beside.filter((term) => term)) };
  });
}

function isCountedOtherwise({ statement, sentence }: Comparison): boolean {
  const given = countsIn(sentence);
  return countsIn(statement).some(({ count, counted }) => {
    const same = given.filter((other) => !counted.isDisjointFrom(other.counted));
    return same.length > 0 && !same.some((other) => other.count === count);
  });
}

/** Numbers with the terms of what they count: the next words up to a function word ("one of" counts nothing). */
function countsIn(words: readonly Word[]): { readonly count: number; readonly counted: ReadonlySet<string> }[] {
  return words.flatMap((word, place) => {
    const count = countOf(word.text, word.before);
    if (count === undefined) return [];
    const following = words.slice(place + 1, place + 1 + WORDS_COUNTED);
    const end = following.findIndex(({ terms }) => terms.length === 0);
    return [{ count, counted: new Set((end < 0 ? following : following.slice(0, end)).flatMap(({ terms }) => terms)) }];
  });
}
