import { UNSPACED } from '../shared/unspaced-scripts.ts';
import type { TextAnalyser } from './text-analyser.ts';

export interface Word {
  readonly text: string;
  readonly before: string;
  readonly next: string;
  /** Empty for function words. */
  readonly terms: readonly string[];
}

/** The words of a text in order; a number with its separators is one word. */
export function wordsOf(text: string, analyser: TextAnalyser): Word[] {
  const words = text.match(WORD) ?? [];
  const content = new Set(analyser.analyseQuery(text));
  return words.map((word, index) => ({
    text: word,
    before: words[index - 1] ?? '',
    next: words[index + 1] ?? '',
    terms: analyser.analyse(word).filter((term) => content.has(term)),
  }));
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
