import { stemmer } from 'stemmer';
import { foldWord } from './fold-word.ts';
import { type LatinLanguage, latinLanguage } from './function-words.ts';
import { stopWords } from './stop-words.ts';

/** Changes whenever the same text would give other terms; the full text is then rebuilt from the stored chunks. */
export const ANALYSER_VERSION = '1';

/** What a passage is found by. The title's and headings' words count apart from the text's. */
export interface IndexedText {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** The terms of a passage as the full-text index takes them: joined by single spaces. */
export function analyseForIndex({ title, headingPath, text }: IndexedText): { title: string; body: string } {
  // Headings that repeat the title would count its words twice.
  const headings = [...new Set([title, ...headingPath])].join('\n');
  const isInflected = languageOf(text) === 'inflected';
  return { title: termsOf(headings, isInflected).join(' '), body: termsOf(text, isInflected).join(' ') };
}

/** The terms to look for, each once, in order. Stop words count only when there is nothing else. */
export const analyseQuery = (text: string): string[] => [...readQueryTerms(text).terms];

export interface QueryTerms {
  readonly terms: readonly string[];
  /** Of the terms that are plain words, and no identifiers or numbers: the word that was typed, folded. */
  readonly words: readonly (readonly [term: string, word: string])[];
}

/** The same, and which of them could be misspelt words. */
export function readQueryTerms(text: string): QueryTerms {
  const words = new Map<string, string>();
  // A question is too short to be sure: beginnings that no passage was given cost nothing.
  const terms = [...new Set(termsOf(text, languageOf(text) !== 'english', words))];
  const telling = terms.filter((term) => !stopWords.has(term));
  const chosen = telling.length > 0 ? telling : terms;
  return { terms: chosen, words: chosen.flatMap((term) => [[term, words.get(term)] as const].filter(isWord)) };
}

const isWord = (pair: readonly [string, string | undefined]): pair is readonly [string, string] =>
  pair[1] !== undefined;

/** The terms of a text in order, repeated as often as they stand there. */
export const analyse = (text: string): string[] => termsOf(text, languageOf(text) === 'inflected');

/** The same for words that are too few to tell their language by. */
export const analyseAs = (text: string, isInflected: boolean): string[] => termsOf(text, isInflected);

const LANGUAGE_SAMPLE = 4_000;
function languageOf(text: string): LatinLanguage {
  const words = text.slice(0, LANGUAGE_SAMPLE).match(/\p{sc=Latn}[\p{sc=Latn}\p{M}]*/gu) ?? [];
  return latinLanguage(words.map(foldWord));
}

/**
 * Words are folded, and stemmed where they look English; identifiers give themselves and their parts; words of
 * inflected languages and other alphabets give themselves and their beginning, which inflection leaves alone; scripts
 * written without spaces give overlapping pairs or triples of characters. Nothing depends on the platform's language data.
 */
function termsOf(text: string, isInflected: boolean, words?: Map<string, string>): string[] {
  const terms: string[] = [];
  for (const { groups, 0: run } of text.normalize('NFKC').matchAll(RUN)) {
    if (groups?.['ideographs']) addGrams(terms, run, 2);
    else if (groups?.['unspaced']) addGrams(terms, run, 3);
    else if (groups?.['hangul']) addGrams(terms, run, 2);
    else if (groups?.['number']) terms.push(run.replaceAll(',', '').slice(0, MAX_TERM));
    else if (!groups?.['clitic']) addWord(terms, run, { isInflected, words });
  }
  return terms;
}

// A run is a stretch of one kind of writing. The number's look-ahead keeps `3rd` and `2x4` words; its bound, the time.
const RUN =
  /(?<clitic>(?<=\p{L})['’](?:[stdm]|ll|re|ve)(?![\p{L}\p{M}\p{N}_]))|(?<ideographs>[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u30fc]+)|(?<unspaced>[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]+)|(?<hangul>\p{sc=Hang}+)|(?<number>\p{Nd}+(?:[.,]\p{Nd}+){0,8}(?![\p{L}\p{M}\p{N}_]))|(?:[[\p{L}\p{M}\p{N}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Hang}]])+/gv;

/** Longer terms are cut: nobody types them, and a term must not be as large as a file. */
const MAX_TERM = 64;
const BEGINNING = 5;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

interface Wording {
  readonly isInflected: boolean;
  /** Told the plain words, by their terms. */
  readonly words?: Map<string, string> | undefined;
}

function addWord(terms: string[], run: string, { isInflected, words }: Wording): void {
  const whole = run.replaceAll('_', '');
  if (whole === '') return;
  const place = terms.length;
  addTerm(terms, whole, isInflected);
  const parts = run.length <= MAX_TERM ? (run.match(PART) ?? []) : [];
  const term = terms[place];
  if (words !== undefined && term !== undefined && parts.length === 1 && /^[\p{L}\p{M}]+$/u.test(run)) {
    words.set(term, foldWord(run));
  }
  if (parts.length > 1) for (const part of parts) addTerm(terms, part, isInflected);
}

function addTerm(terms: string[], word: string, isInflected: boolean): void {
  const term = foldWord(word).slice(0, MAX_TERM).toWellFormed();
  if (term === '') return;
  const looksEnglish = /^[a-z]+$/.test(term);
  terms.push(looksEnglish && !stopWords.has(term) ? stemmer(term) : term);
  if (looksEnglish ? isInflected : /^[\p{L}\p{M}]+$/u.test(term)) addBeginning(terms, term);
}

function addBeginning(terms: string[], term: string): void {
  const beginning = beginningOf(term);
  if (beginning !== undefined) terms.push(beginning);
}

/** The term for all words that begin like this one; the hyphen keeps it apart from a word of the same letters. */
export function beginningOf(word: string): string | undefined {
  const characters = [...word];
  return characters.length < BEGINNING ? undefined : `${characters.slice(0, BEGINNING).join('')}-`;
}

function addGrams(terms: string[], run: string, size: number): void {
  const characters = [...run];
  if (characters.length <= size) terms.push(run);
  else for (let at = 0; at + size <= characters.length; at++) terms.push(characters.slice(at, at + size).join(''));
}
