import { isException, isNegation, isRestriction } from './negation.ts';
import { oppositesOf } from './opposites.ts';
import type { Word } from './words.ts';

/** Words before the first shared one in which a negation applies to it: "None of the ferries run". */
const WORDS_BEFORE = 3;
/** Words between "not" and "until" in "did not open to the public until". */
const WORDS_UNTIL = 8;
const UNTIL = /^(?:until|till)$/iu;

/** The last word of German and Dutch sentences may negate the whole sentence. */
const FINAL_NEGATION = /^(?:nicht|niet)$/iu;

export interface Comparison {
  readonly statement: readonly Word[];
  readonly sentence: readonly Word[];
}

/**
 * Whether one of both negates what they have in common. What a sentence excepts is left out, if the statement does not name
 * it; otherwise it is unknown, hence false, and so it is where either says "only".
 */
export function isDeniedIn({ statement, sentence }: Comparison): boolean {
  if (statement.some(({ text }) => isException(text)) || sentence.some(({ text }) => isRestriction(text))) return false;
  const exception = sentence.findIndex(({ text }) => isException(text));
  const main = exception < 0 ? sentence : sentence.slice(0, exception);
  if (exception >= 0 && namesOneOf(statement, sentence.slice(exception), main)) return false;
  const compared = { statement, sentence: main };
  const isNegative = isNegated(statement, main) !== isNegated(main, statement);
  return isNegative !== hasOpposite(compared);
}

function namesOneOf(statement: readonly Word[], excepted: readonly Word[], main: readonly Word[]): boolean {
  const inMain = termsOf(main);
  const wanted = termsOf(statement);
  return excepted.some(({ terms }) => terms.some((term) => wanted.has(term) && !inMain.has(term)));
}

const termsOf = (words: readonly Word[]): ReadonlySet<string> => new Set(words.flatMap(({ terms }) => terms));

/** Whether a statement has a word of which the sentence has the opposite, and neither has both. */
function hasOpposite({ statement, sentence }: Comparison): boolean {
  const [stated, given] = [wordsIn(statement), wordsIn(sentence)];
  return [...stated].some(
    (word) => !given.has(word) && oppositesOf(word).some((other) => given.has(other) && !stated.has(other)),
  );
}

const wordsIn = (words: readonly Word[]): ReadonlySet<string> => new Set(words.map(({ text }) => text.toLowerCase()));

function isNegated(words: readonly Word[], others: readonly Word[]): boolean {
  const shared = sharedPlaces(words, others);
  const [first, last] = [shared[0], shared.at(-1)];
  if (first === undefined || last === undefined) return false;
  // "It did not open until May" says the same as "it opened in May", but not as "it was open until May".
  const hasUntil = others.some(({ text }) => UNTIL.test(text));
  const end = FINAL_NEGATION.test(words.at(-1)?.text ?? '') ? words.length : last + 1;
  return words.slice(Math.max(0, first - WORDS_BEFORE), end).some(({ text, next }, index) => {
    const place = Math.max(0, first - WORDS_BEFORE) + index;
    if (!isNegation(text, next)) return false;
    return hasUntil || !words.slice(place + 1, place + 1 + WORDS_UNTIL).some((word) => UNTIL.test(word.text));
  });
}

/** Places of words that the others have as well, or of which they have the opposite. */
function sharedPlaces(words: readonly Word[], others: readonly Word[]): number[] {
  const terms = termsOf(others);
  const given = wordsIn(others);
  return [...words.keys()].filter((place) => {
    const word = words[place];
    return (
      word !== undefined &&
      (word.terms.some((term) => terms.has(term)) || oppositesOf(word.text).some((other) => given.has(other)))
    );
  });
}
