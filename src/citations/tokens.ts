import { UNSPACED } from '../shared/unspaced-scripts.ts';
import { isNegation } from './negation.ts';
import { countOf } from './numbers.ts';
import type { Word } from './words.ts';

/** A word of a sentence with what separates it from the one before. */
export interface Token {
  /** In lower case; the same for all articles and possessive pronouns. */
  readonly text: string;
  /** What the word is compared by. Undefined for function words, which do not negate. */
  readonly term: string | undefined;
  readonly isNumber: boolean;
  /** Whether what follows belongs to it: "the mayor's wife". */
  readonly isOwner: boolean;
  /** How much separates it from the word before: nothing, a conjunction, or a comma. */
  readonly border: number;
}

export const ARTICLE = 'the';
const ARTICLES =
  /^(?:the|an?|der|die|das|den|dem|des|eine?[mnrs]?|les?|la|une?|el|los|las|il|lo|gli|het|een|my|your|his|her|its|our|their|seine?[mnrs]?|ihre?[mnrs]?|son|sa|ses|leurs?|sus?)$/iu;
/** A function word in most languages. */
const SHORT_WORD = /^\p{Ll}{1,2}$/u;
const CONJUNCTION = /^(?:and|or|but|while|whereas|und|oder|aber|während|et|ou|mais|y|o|pero|e|ma|mas|maar|och|men)$/iu;
const COMMA = /[,;:，、；：(–—]/u;
const CONJUNCTION_BORDER = 1;
const COMMA_BORDER = 2;
const NEGATION = '¬';
const OWNER = /\p{L}(?:['’]s|s['’])$/u;
/** "It's" is "it is". */
const CONTRACTION = /^(?:it|that|this|he|she|who|what|where|when|how|why|there|here|let)['’]s$/iu;

export function tokensOf(sentence: string, words: readonly Word[]): readonly Token[] {
  if (UNSPACED.test(sentence)) return unspacedTokens(sentence);
  const tokens: Token[] = [];
  let end = 0;
  let border = COMMA_BORDER;
  for (const { text, terms, before, next } of words) {
    const start = sentence.indexOf(text, end);
    if (COMMA.test(sentence.slice(end, start))) border = COMMA_BORDER;
    end = start + text.length;
    if (CONJUNCTION.test(text)) {
      border = Math.max(border, CONJUNCTION_BORDER);
      continue;
    }
    const isArticle = ARTICLES.test(text);
    const count = countOf(text, before);
    const isNumber = count !== undefined || /^\d/.test(text);
    const isFunction = isArticle || SHORT_WORD.test(text);
    const content = isFunction ? undefined : terms[0];
    const term = isNegation(text, next) ? NEGATION : count === undefined ? content : String(count);
    const isOwner = OWNER.test(text) && !CONTRACTION.test(text);
    tokens.push({ text: isArticle ? ARTICLE : text.toLowerCase(), term, isNumber, isOwner, border });
    border = 0;
  }
  return tokens;
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const FUNCTION_WITHOUT_SPACES = /^(?:\p{sc=Hira}+|[的了是为為在有被于於由从從到以和與与而也都就可])$/u;
const NUMBER_WITHOUT_SPACES = /^[\d０-９一二三四五六七八九十百千万]/u;

function unspacedTokens(sentence: string): Token[] {
  const tokens: Token[] = [];
  let border = COMMA_BORDER;
  for (const { segment, isWordLike } of segmenter.segment(sentence)) {
    if (isWordLike !== true) {
      if (COMMA.test(segment)) border = COMMA_BORDER;
      continue;
    }
    const term = FUNCTION_WITHOUT_SPACES.test(segment) ? undefined : segment;
    tokens.push({ text: segment, term, isNumber: NUMBER_WITHOUT_SPACES.test(segment), isOwner: false, border });
    border = 0;
  }
  return tokens;
}
