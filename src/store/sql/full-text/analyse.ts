import { stemmer } from 'stemmer';
import { foldWord } from './fold-word.ts';
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
  const headings = new Set([title, ...headingPath]);
  return { title: analyse([...headings].join('\n')).join(' '), body: analyse(text).join(' ') };
}

/** The terms to look for, each once, in order. Stop words count only when there is nothing else. */
export function analyseQuery(text: string): string[] {
  const terms = [...new Set(analyse(text))];
  const telling = terms.filter((term) => !stopWords.has(term));
  return telling.length > 0 ? telling : terms;
}

/**
 * The terms of a text in order, the same for index and query.
 *
 * Words are folded, English-looking ones stemmed; identifiers give themselves and their parts; words of other alphabets
 * give themselves and their beginning, which inflection leaves alone; scripts written without spaces give overlapping
 * pairs or triples of characters. Nothing here depends on the platform's language data.
 */
export function analyse(text: string): string[] {
  const terms: string[] = [];
  for (const { groups, 0: run } of text.normalize('NFKC').matchAll(RUN)) {
    if (groups?.['ideographs']) addGrams(terms, run, 2);
    else if (groups?.['unspaced']) addGrams(terms, run, 3);
    else if (groups?.['hangul']) addGrams(terms, run, 2);
    else if (groups?.['clitic']) continue;
    else if (groups?.['number']) terms.push(run.replaceAll(',', '').slice(0, MAX_TERM));
    else addWord(terms, run);
  }
  return terms;
}

// A run is a stretch of one kind of writing. The number's look-ahead keeps `3rd` and `2x4` words; its bound, the time.
const RUN =
  /(?<clitic>(?<=\p{L})['’](?:[stdm]|ll|re|ve)(?![\p{L}\p{M}\p{N}_]))|(?<ideographs>[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u30fc]+)|(?<unspaced>[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]+)|(?<hangul>\p{sc=Hang}+)|(?<number>\p{Nd}+(?:[.,]\p{Nd}+){0,8}(?![\p{L}\p{M}\p{N}_]))|(?:[[\p{L}\p{M}\p{N}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Hang}]])+/gv;

/** Longer terms are cut: nobody types them, and a term must not be as large as a file. */
const MAX_TERM = 64;
const PREFIX = 5;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

function addWord(terms: string[], run: string): void {
  const whole = run.replaceAll('_', '');
  if (whole === '') return;
  addTerm(terms, whole);
  const parts = run.match(PART);
  if (parts && parts.length > 1 && run.length <= MAX_TERM) for (const part of parts) addTerm(terms, part);
}

function addTerm(terms: string[], word: string): void {
  const term = foldWord(word).slice(0, MAX_TERM).toWellFormed();
  if (term === '') return;
  if (/^[a-z]+$/.test(term)) terms.push(stopWords.has(term) ? term : stemmer(term));
  else {
    terms.push(term);
    if (/^[^\p{sc=Latn}\p{N}]+$/u.test(term)) addPrefix(terms, term);
  }
}

function addPrefix(terms: string[], term: string): void {
  const characters = [...term];
  if (characters.length > PREFIX) terms.push(`${characters.slice(0, PREFIX).join('')}-`);
}

function addGrams(terms: string[], run: string, size: number): void {
  const characters = [...run];
  if (characters.length <= size) terms.push(run);
  else for (let at = 0; at + size <= characters.length; at++) terms.push(characters.slice(at, at + size).join(''));
}
