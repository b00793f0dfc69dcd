import { type Measure, measureNamed } from './measures.ts';
import { countOf } from './numbers.ts';
import type { Word } from './words.ts';

/** A number with what it counts, measures or numbers: "30 days", "room 12". */
export interface LabelledNumber {
  /** As it is written, or in digits for a number in words. */
  readonly digits: string;
  readonly isInWords: boolean;
  /** "a day", which is one day in "for a day" but not in "5 euros a day". */
  readonly isArticle: boolean;
  readonly label: Word | undefined;
  readonly measure: Measure | undefined;
}

/** Years count nothing: "in 1889 visitors came". */
const YEAR = /^(?:1\d|20)\d\d$/;
const NUMBER = /^\d+(?:[.,:]\d+)*$/;
/** Words around a number of a source among which what it counts must stand. */
const WORDS_BEFORE = 5;
const WORDS_AFTER = 6;

/** The numbers among these words: those in digits, and those in words before a unit ("one hour"; "two reasons" is not one). */
export const labelledNumbers = (words: readonly Word[]): LabelledNumber[] =>
  words.flatMap(({ text, before }, place) => {
    const isInDigits = NUMBER.test(text);
    const named = isInDigits ? undefined : countOf(text, before);
    const isArticle = !isInDigits && named === undefined && IS_ARTICLE.test(text);
    const count = isArticle ? (HALF.test(before) ? 0.5 : 1) : named;
    if (!isInDigits && count === undefined) return [];
    const label = isInDigits ? labelOf(words, place) : isArticle ? words[place + 1] : unitAfter(words, place);
    const measure = label && measureNamed(label.text);
    if (!isInDigits && measure === undefined) return [];
    return [{ digits: count === undefined ? text : String(count), isInWords: !isInDigits, isArticle, label, measure }];
  });

/** "Five days", or "five working days". */
const unitAfter = (words: readonly Word[], place: number): Word | undefined =>
  words.slice(place + 1, place + 3).find(({ text }) => measureNamed(text) !== undefined);

const HALF = /^half$/iu;
const IS_ARTICLE = /^(?:an?|eine[mnrs]?|ein|une?|una)$/iu;

function labelOf(words: readonly Word[], place: number): Word | undefined {
  if (YEAR.test(words[place]?.text ?? '')) return undefined;
  const [before, after] = [words[place - 1], words[place + 1]];
  return [after, before].find((word) => word !== undefined && isLabel(word));
}

const isLabel = ({ text, terms }: Word): boolean =>
  !NUMBER.test(text) && (terms.length > 0 || measureNamed(text) !== undefined);

/** Other names of the unit with this name. */
export const variantsOf = (word: string): readonly string[] => measureNamed(word)?.names ?? [];

/**
 * Whether a sentence has the number beside what it counts in the statement. If the word itself is `known` to the source, it
 * must stand near the number; another word may be the source's own for the same, unless both are units.
 */
export function isLabelledAlike(number: LabelledNumber, words: readonly Word[], known: boolean): boolean {
  const { label, measure } = number;
  if (label === undefined) return true;
  const places = [...words.keys()].filter((place) => words[place]?.text === number.digits);
  if (hasAmount(number, words)) return true;
  // In words ("thirty days"), larger numbers are not looked for.
  if (places.length === 0) return !number.isInWords;
  return places.some((place) => {
    const near = words.slice(Math.max(0, place - WORDS_BEFORE), place + 1 + WORDS_AFTER);
    if (near.some(({ terms }) => isSame(label, terms))) return true;
    const ownLabel = labelOf(words, place);
    return !known && (measure === undefined || ownLabel === undefined || measureNamed(ownLabel.text) === undefined);
  });
}

/** Whether words have the same amount, in whichever unit: "60 minutes" for "an hour". */
export const hasAmount = (number: LabelledNumber, words: readonly Word[]): boolean =>
  number.measure !== undefined && labelledNumbers(words).some((other) => isSameAmount(number, other));

/**
 * Whether sentences have the amount that an article stands for ("a day"), or its unit without a number ("per day"). True if they
 * measure nothing of the kind.
 */
export function hasUnitOfArticle(
  { measure, ...number }: LabelledNumber,
  sentences: readonly (readonly Word[])[],
): boolean {
  const isUnit = (other: Measure | undefined) => other?.dimension === measure?.dimension;
  const numbered = sentences.flatMap((words) => labelledNumbers(words)).filter((other) => isUnit(other.measure));
  if (numbered.length === 0 || sentences.some((words) => hasAmount({ measure, ...number }, words))) return true;
  return sentences.flat().filter(({ text }) => isUnit(measureNamed(text))).length > numbered.length;
}

const isSame = (label: Word, terms: readonly string[]): boolean => label.terms.some((term) => terms.includes(term));

const amountOf = ({ digits, measure }: LabelledNumber): number =>
  Number(digits.replace(',', '.')) * (measure?.size ?? 1);

const isSameAmount = (one: LabelledNumber, other: LabelledNumber): boolean =>
  one.measure?.dimension === other.measure?.dimension &&
  (one.digits === other.digits ? one.measure?.size === other.measure?.size : amountOf(one) === amountOf(other));

interface Compared {
  readonly statement: readonly Word[];
  readonly sentence: readonly Word[];
}

/** Whether a sentence about the same has a year or a number of the same things, but not that of the statement. */
export function hasOtherFigures({ statement, sentence }: Compared): boolean {
  const given = labelledNumbers(sentence);
  const stated = labelledNumbers(statement).filter(({ isArticle }) => !isArticle);
  const isIn = (number: LabelledNumber, numbers: readonly LabelledNumber[]) =>
    numbers.some(
      (other) => other.digits === number.digits || (number.measure !== undefined && isSameAmount(number, other)),
    );
  return stated.some(
    (number) => !isIn(number, given) && given.some((other) => !isIn(other, stated) && isOfSameKind(number, other)),
  );
}

function isOfSameKind(one: LabelledNumber, other: LabelledNumber): boolean {
  if (YEAR.test(one.digits) || YEAR.test(other.digits)) return YEAR.test(one.digits) && YEAR.test(other.digits);
  if (one.label === undefined || other.label === undefined) return one.label === other.label;
  return (
    isSame(one.label, other.label.terms) ||
    (one.measure !== undefined && one.measure.dimension === other.measure?.dimension)
  );
}
