import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { questionPart } from './question-part.ts';
import { questionWords, withoutUnspacedQuestionWords } from './question-words.ts';

/** One content term of a question. */
export interface QuestionTerm {
  /** Forms that match; the first is exact, the others are prefixes and names of the measure. */
  readonly forms: readonly string[];
  /** Weight by word form: long words, names and numbers weigh more than short words. */
  readonly weight: number;
  /** Weight as evidence that a source answers; 0 for words such as "tall" in "how tall". */
  readonly evidenceWeight: number;
}

export interface Question {
  readonly terms: readonly QuestionTerm[];
  /** Minimum support of sources about the question's subject. */
  readonly minSupport: number;
  /** Share of its terms that are character bigrams or trigrams. */
  readonly ngramShare: number;
  /** Share of those that are trigrams. */
  readonly trigramShare: number;
  /** Whether its language is known and not English. */
  readonly isInflected: boolean;
  /** Whether its terms are syllables, which most texts share: Vietnamese writes them apart. */
  readonly isSyllabic: boolean;
}

const NAME_WEIGHT = 2;
const FULL_LENGTH = 6;
/** Nouns by which texts name the measure that a question asks for: "How deep is it?", "The depth is 4 m". */
const MEASURED: Readonly<Record<string, string>> = {
  deep: 'depth',
  long: 'length duration',
  high: 'height',
  tall: 'height',
  wide: 'width',
  old: 'age',
  heavy: 'weight mass',
  fast: 'speed rate',
  far: 'distance',
  big: 'size',
  large: 'size',
  often: 'frequency interval',
  much: 'amount price cost',
  tief: 'tiefe',
  lang: 'länge dauer',
  lange: 'dauer',
  hoch: 'höhe',
  breit: 'breite',
  alt: 'alter',
  schwer: 'gewicht',
  schnell: 'geschwindigkeit',
  weit: 'entfernung',
  groß: 'größe',
};
const MIN_WEIGHT = 0.3;
const MAX_WEIGHT = 1.5;

// Measured: about one in twenty answerable questions falls below. Inflected words match less often, and so do character
// n-grams, many of which cross word borders.
const MIN_SUPPORT = { english: 0.4, inflected: 0.32, grams: 0.17 };

/** Analyses a question into weighted terms. */
export function readQuestion(given: string, { analyseQuery }: TextAnalyser): Question {
  const question = questionPart(given);
  const { words: ignoredWords, measures, isEnglish, isSyllabic } = questionWords(question);
  const vagueTerms = new Set(measures.flatMap((word) => [...analyseQuery(word)]));
  const measured = new Map(
    measures.flatMap((word) => {
      const nouns = analyseQuery(MEASURED[word] ?? '');
      return analyseQuery(word).map((term) => [term, nouns] as const);
    }),
  );
  const ignored = new Set([...ignoredWords].flatMap((word) => [...analyseQuery(word)]));
  const names = new Set(namesIn(question).flatMap((word) => [...analyseQuery(word)]));
  const content = withoutUnspacedQuestionWords(question);
  const all = analyseQuery(/[\p{L}\p{N}]/u.test(content) ? content : question);
  const contentTerms = all.filter((term) => !ignored.has(term));

  const terms: (Omit<QuestionTerm, 'forms'> & { readonly forms: string[] })[] = [];
  for (const term of contentTerms.length > 0 ? contentTerms : all) {
    const word = term.endsWith('-') ? terms.findLast(({ forms }) => isPrefixTermOf(term, forms[0] ?? '')) : undefined;
    if (word !== undefined) {
      word.forms.push(term);
      continue;
    }
    const weight = weightOf(term) * (names.has(term) ? NAME_WEIGHT : 1);
    terms.push({
      forms: [term, ...(measured.get(term) ?? [])],
      weight,
      evidenceWeight: vagueTerms.has(term) ? MIN_WEIGHT : weight,
    });
  }
  const grams = terms.filter(({ forms }) => isGram(forms[0] ?? '')).length / Math.max(1, terms.length);
  const triples = terms.filter(({ forms }) => TRIGRAM_SCRIPTS.test(forms[0] ?? '')).length / Math.max(1, terms.length);
  const ofWords = isEnglish ? MIN_SUPPORT.english : MIN_SUPPORT.inflected;
  const minSupport = grams * MIN_SUPPORT.grams + (1 - grams) * ofWords;
  return { terms, minSupport, ngramShare: grams, trigramShare: triples, isInflected: !isEnglish, isSyllabic };
}

// The analyser emits inflected words twice: in full and as the prefix `begin-`.
const isPrefixTermOf = (beginning: string, word: string): boolean => {
  const letters = beginning.slice(0, -1);
  return word.startsWith(letters) || letters.startsWith(word);
};

/** Terms of scripts without spaces are character bigrams or trigrams. */
const isGram = (term: string): boolean =>
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u.test(term);

const TRIGRAM_SCRIPTS = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;

const weightOf = (term: string): number =>
  isGram(term) ? 1 : Math.min(MAX_WEIGHT, Math.max(MIN_WEIGHT, term.length / FULL_LENGTH));

/** Capitalized words other than the first, and words with a digit. */
function namesIn(question: string): string[] {
  return [...question.matchAll(/[\p{L}\p{M}\p{N}]+/gu)]
    .filter(({ 0: word, index }) => (index > 0 && /^\p{Lu}/u.test(word)) || /\p{N}/u.test(word))
    .map(([word]) => word);
}
