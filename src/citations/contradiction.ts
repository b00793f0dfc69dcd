import { splitSentences } from '../documents/sentences.ts';
import { UNSPACED } from '../shared/unspaced-scripts.ts';
import { isException, isNegation } from './negation.ts';
import { countOf } from './numbers.ts';
import type { TextAnalyser } from './text-analyser.ts';

/** Share of the statement's terms in a sentence from which the sentence is about the same. */
const MIN_SAME = 0.7;
/** Sentences with nearly as many terms as the best one are about the same as well. */
const NEARLY = 0.1;
/** Words before the first shared one in which a negation applies to it: "None of the ferries run". */
const WORDS_BEFORE = 3;
/** Words between a number and what it counts: "two part-time maintainers". */
const WORDS_COUNTED = 3;

interface Word {
  readonly text: string;
  readonly before: string;
  readonly next: string;
  /** Empty for function words. */
  readonly terms: readonly string[];
}

interface Comparison {
  readonly statement: readonly Word[];
  readonly sentence: readonly Word[];
}

/** A sentence of a text that statements are compared with. */
export interface ComparableSentence {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
}

export const toComparableSentences = (text: string, analyser: TextAnalyser): ComparableSentence[] =>
  splitSentences(text).map(({ start, end }) => {
    const sentence = text.slice(start, end);
    return { text: sentence, terms: new Set(analyser.analyse(sentence)) };
  });

/**
 * Whether the sentences of a text that share most terms with a statement negate what it states, state what it negates, or
 * give other numbers, from "no" to twelve, of the things it counts. False if the statement is spread over several
 * sentences, and for scripts without spaces.
 */
export function createContradictionCheck(
  statement: string,
  analyser: TextAnalyser,
): (sentences: readonly ComparableSentence[]) => boolean {
  const words = UNSPACED.test(statement) ? [] : wordsOf(statement, analyser);
  const counts = words.filter((word) => countOf(word.text, word.before) !== undefined);
  const counted = new Set(counts.flatMap(({ terms }) => terms));
  const terms = new Set(words.flatMap((word) => word.terms)).difference(counted);
  return (sentences) => {
    if (terms.size === 0) return false;
    const shares = sentences.map((sentence) => terms.intersection(sentence.terms).size / terms.size);
    const best = shares.reduce((most, share) => Math.max(most, share), 0);
    if (best < MIN_SAME) return false;
    return sentences
      .filter((_, place) => (shares[place] ?? 0) >= Math.max(MIN_SAME, best - NEARLY))
      .every((sentence) => {
        const compared = { statement: words, sentence: wordsOf(sentence.text, analyser) };
        return isNegatedIn(compared) || isCountedOtherwise(compared);
      });
  };
}

/** Whether the word before a position of a text negates what follows: "No food is allowed" for "Food is allowed". */
export function isNegatedAt(text: string, position: number): boolean {
  const before = LAST_WORD.exec(text.slice(Math.max(0, position - MAX_WORD), position));
  return before?.[1] !== undefined && isNegation(before[1], '');
}

const MAX_WORD = 20;
const LAST_WORD = /(?<![\p{L}\p{N}])(\p{L}[\p{L}'’]*)\s+$/u;

function wordsOf(text: string, analyser: TextAnalyser): Word[] {
  const words = text.match(WORD) ?? [];
  const content = new Set(analyser.analyseQuery(text));
  return words.map((word, index) => ({
    text: word,
    before: words[index - 1] ?? '',
    next: words[index + 1] ?? '',
    terms: analyser.analyse(word).filter((term) => content.has(term)),
  }));
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;

/** Whether one of both negates what they have in common. Unknown, hence false, where there are exceptions. */
const isNegatedIn = ({ statement, sentence }: Comparison): boolean =>
  ![...statement, ...sentence].some(({ text }) => isException(text)) &&
  isNegated(statement, sentence) !== isNegated(sentence, statement);

function isNegated(words: readonly Word[], others: readonly Word[]): boolean {
  const shared = sharedPlaces(words, others);
  const [first, last] = [shared[0], shared.at(-1)];
  if (first === undefined || last === undefined) return false;
  return words.slice(Math.max(0, first - WORDS_BEFORE), last + 1).some(({ text, next }) => isNegation(text, next));
}

function sharedPlaces(words: readonly Word[], others: readonly Word[]): number[] {
  const terms = new Set(others.flatMap((word) => word.terms));
  return [...words.keys()].filter((place) => words[place]?.terms.some((term) => terms.has(term)));
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
