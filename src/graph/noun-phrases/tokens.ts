import { type GraphLanguage, isCommonWord } from './language.ts';

/** Part of speech of a word, as far as known. */
export type Tag =
  | 'name'
  | 'noun'
  | 'adjective'
  | 'verb'
  | 'auxiliary'
  | 'adverb'
  | 'preposition'
  | 'determiner'
  | 'other';

/** A word, number or punctuation mark, with its position in the chunk. */
export interface Token {
  readonly kind: 'word' | 'number' | 'mark';
  readonly text: string;
  readonly lower: string;
  readonly start: number;
  readonly end: number;
  /** Begins with a capital letter. */
  readonly isCapital: boolean;
  /** A function word of the language. */
  readonly isCommon: boolean;
  /** Part of speech; null for languages other than English, or if unknown. */
  readonly tag: Tag | null;
}

// A word with inner apostrophes, hyphens and ampersands; initials and dotted abbreviations keep their full stops.
const TOKEN =
  /(?<initials>(?:\p{Lu}\.){1,4}(?=\P{L}|$))|(?<number>\p{Nd}+(?:[.,:]\p{Nd}+){0,4}(?![\p{L}\p{M}]))|(?<clitic>['’]s(?![\p{L}\p{N}]))|(?<word>[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:(?:['’](?!s(?![\p{L}\p{N}]))|-|&)[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*)|(?<mark>[^\s])/gu;

// l'Europe, d'Orsay, qu'il: the first part is a separate word.
const ELISION = /^(?:[cdjlmnstCDJLMNST]|[Qq]u|[Dd]ell|[Nn]ell|[Aa]ll|[Dd]all|[Uu]n)['’](?=\p{L})/u;

/** Splits one sentence; `offset` is its start in its chunk. */
export function tokenize(sentence: string, offset: number, language: GraphLanguage): Token[] {
  const tokens: Token[] = [];
  const add = (kind: Token['kind'], text: string, at: number) => {
    const lower = text.toLowerCase();
    tokens.push({
      kind,
      text,
      lower,
      start: offset + at,
      end: offset + at + text.length,
      isCapital: /^\p{Lu}/u.test(text) || /^[eimpvx]\p{Lu}/u.test(text),
      isCommon: isCommonWord(lower, language),
      tag: null,
    });
  };
  const elides = language === 'fr' || language === 'it';
  for (const match of sentence.matchAll(TOKEN)) {
    const text = match[0];
    const { groups } = match;
    if (groups?.['number']) add('number', text, match.index);
    else if (groups?.['mark'] || groups?.['clitic']) add('mark', text, match.index);
    else {
      const elided = elides ? ELISION.exec(text)?.[0] : undefined;
      if (elided !== undefined) {
        add('mark', elided, match.index);
        add('word', text.slice(elided.length), match.index + elided.length);
      } else add('word', text, match.index);
    }
  }
  return tokens;
}

/** The words and marks in lower case, separated by spaces. */
export const wordsOf = (tokens: readonly Token[]): string => tokens.map(({ lower }) => lower).join(' ');
