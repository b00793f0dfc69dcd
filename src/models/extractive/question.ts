import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { questionWords, withoutDenseQuestionWords } from './question-words.ts';

/** One thing a question asks about. */
export interface QuestionTerm {
  /** Forms in which it may be met; the first is the word itself, the others are vaguer. */
  readonly forms: readonly string[];
  /** How telling the word looks: long words, names and numbers say more than short ones. */
  readonly weight: number;
  /** The same as proof that a passage answers: "tall" of "how tall" is none. */
  readonly proof: number;
}

export interface Question {
  readonly terms: readonly QuestionTerm[];
  /** The support below which passages are not about it. */
  readonly minSupport: number;
  /** Share of its terms that are pairs or triples of characters. */
  readonly gramShare: number;
  /** Share of those that are triples. */
  readonly tripleShare: number;
  /** Whether its language is known and not English. */
  readonly isInflected: boolean;
}

const NAME_WEIGHT = 2;
const FULL_LENGTH = 6;
const MIN_WEIGHT = 0.3;
const MAX_WEIGHT = 1.5;

// Measured: about one in twenty questions that have an answer falls below. Words that change their endings, and pairs of
// characters of which many straddle two words, are met less often even where the answer is.
const MIN_SUPPORT = { english: 0.4, inflected: 0.32, grams: 0.17 };

/** What the question asks about, as terms of the full text. */
export function readQuestion(question: string, { analyseQuery }: TextAnalyser): Question {
  const { words: ignoredWords, vague, isEnglish } = questionWords(question);
  const vagueTerms = new Set(vague.flatMap((word) => [...analyseQuery(word)]));
  const ignored = new Set([...ignoredWords].flatMap((word) => [...analyseQuery(word)]));
  const names = new Set(namesIn(question).flatMap((word) => [...analyseQuery(word)]));
  const content = withoutDenseQuestionWords(question);
  const all = analyseQuery(/[\p{L}\p{N}]/u.test(content) ? content : question);
  const telling = all.filter((term) => !ignored.has(term));

  const terms: (Omit<QuestionTerm, 'forms'> & { readonly forms: string[] })[] = [];
  for (const term of telling.length > 0 ? telling : all) {
    const word = term.endsWith('-') ? terms.findLast(({ forms }) => isBeginningOf(term, forms[0] ?? '')) : undefined;
    if (word !== undefined) {
      word.forms.push(term);
      continue;
    }
    const weight = weightOf(term) * (names.has(term) ? NAME_WEIGHT : 1);
    terms.push({ forms: [term], weight, proof: vagueTerms.has(term) ? MIN_WEIGHT : weight });
  }
  const grams = terms.filter(({ forms }) => isGram(forms[0] ?? '')).length / Math.max(1, terms.length);
  const triples = terms.filter(({ forms }) => TRIPLED.test(forms[0] ?? '')).length / Math.max(1, terms.length);
  const ofWords = isEnglish ? MIN_SUPPORT.english : MIN_SUPPORT.inflected;
  const minSupport = grams * MIN_SUPPORT.grams + (1 - grams) * ofWords;
  return { terms, minSupport, gramShare: grams, tripleShare: triples, isInflected: !isEnglish };
}

// The analyser gives inflected words twice: whole, and as `begin-`.
const isBeginningOf = (beginning: string, word: string): boolean => {
  const letters = beginning.slice(0, -1);
  return word.startsWith(letters) || letters.startsWith(word);
};

/** Terms of scripts without spaces are pairs or triples of characters, all alike. */
const isGram = (term: string): boolean =>
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u.test(term);

const TRIPLED = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;

const weightOf = (term: string): number =>
  isGram(term) ? 1 : Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, term.length / FULL_LENGTH));

/** Words with a capital that do not open the question, and what holds a digit. */
function namesIn(question: string): string[] {
  return [...question.matchAll(/[\p{L}\p{M}\p{N}]+/gu)]
    .filter(({ 0: word, index }) => (index > 0 && /^\p{Lu}/u.test(word)) || /\p{N}/u.test(word))
    .map(([word]) => word);
}
