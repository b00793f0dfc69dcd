import { GenerationCache } from '../shared/generation-cache.ts';
import { UNSPACED } from '../shared/unspaced-scripts.ts';
import type { TextAnalyser } from './text-analyser.ts';

export interface Word {
  readonly text: string;
  readonly before: string;
  readonly next: string;
  /** Empty for function words. */
  readonly terms: readonly string[];
}

/** The words of a text in order; a number with its separators is one word. If all are function words, they count as content. */
export function wordsOf(text: string, analyser: TextAnalyser): Word[] {
  const words = plainWordsOf(text);
  const contentOf = contentTermsOf(analyser);
  const isContent = words.some((word) => contentOf(word).length > 0);
  return words.map((word, index) => ({
    text: word,
    before: words[index - 1] ?? '',
    next: words[index + 1] ?? '',
    terms: isContent ? contentOf(word) : analyser.analyse(word),
  }));
}

export const plainWordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

const MAX_WORDS = 32_768;
const contentTerms = new WeakMap<TextAnalyser, (word: string) => readonly string[]>();

/** Texts repeat their words, and analysing a word takes longer than looking it up. */
function contentTermsOf(analyser: TextAnalyser): (word: string) => readonly string[] {
  const known = contentTerms.get(analyser);
  if (known !== undefined) return known;
  const cache = new GenerationCache<string, readonly string[]>({ max: MAX_WORDS });
  const contentOf = (word: string) => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    // A query of function words alone has them all, so a number stands beside.
    const content = new Set(analyser.analyseQuery(`${word} 0`));
    const terms = analyser.analyse(word).filter((term) => content.has(term));
    cache.set(word, terms);
    return terms;
  };
  contentTerms.set(analyser, contentOf);
  return contentOf;
}

const WORD = /\p{N}+(?:[.,:]\p{N}+)+(?![\p{L}\p{N}])|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu;

/**
 * A word that a source can have or lack: its terms, the most exact first. Words of scripts without spaces are runs of
 * several words, so each of their terms counts by itself.
 */
export interface Unit {
  readonly text: string;
  readonly terms: readonly string[];
}

export const unitsOf = (words: readonly Word[]): Unit[] =>
  words.flatMap(({ text, terms }) => {
    if (terms.length === 0) return [];
    return UNSPACED.test(text) ? terms.map((term) => ({ text: term, terms: [term] })) : [{ text, terms }];
  });
