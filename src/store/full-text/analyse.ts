import { stemmer } from 'stemmer';
import { GenerationCache } from '../../shared/generation-cache.ts';
import { LruMap } from '../../shared/lru-map.ts';
import { foldWord } from './fold-word.ts';
import { type LatinLanguage, latinLanguage } from './function-words.ts';
import { stopWords } from './stop-words.ts';

/**
 * Changed whenever the same text would yield different terms; the full-text index is then rebuilt from the stored
 * chunks.
 */
export const ANALYSER_VERSION = '2';

/** Likewise for `analyseForEmbedding`, whose terms should never change: stored vectors would become useless. */
export const EMBEDDED_TERMS_VERSION = '1';

/** The searchable text of a chunk. Title and headings are counted apart from the text. */
export interface IndexedText {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

/** The terms of a chunk as stored in the full-text index: joined by single spaces. */
export function analyseForIndex({ title, headingPath, text }: IndexedText): { title: string; body: string } {
  // Headings that repeat the title would count its words twice.
  const headings = [...new Set([title, ...headingPath])].join('\n');
  const isInflected = languageOf(text) === 'inflected';
  return { title: termsOf(headings, isInflected).join(' '), body: termsOf(text, isInflected).join(' ') };
}

/** The distinct terms of a query, in order. Stop words count only if there are no other terms. */
export const analyseQuery = (text: string): string[] => [...readQueryTerms(text).terms];

export interface QueryTerms {
  readonly terms: readonly string[];
  /** Terms that occur more than once in the query, and how often. */
  readonly repeats: readonly (readonly [term: string, times: number])[];
  /** Terms from plain words (not identifiers or numbers), each with the typed word, folded. */
  readonly words: readonly (readonly [term: string, word: string])[];
  /** Identifiers with underscores: the term of the whole, and of its parts that occur nowhere else in the query. */
  readonly identifiers: readonly (readonly [whole: string, parts: readonly string[]])[];
}

/** The parts of a search analyse the same query, one after another. */
const recentQueries = new LruMap<string, QueryTerms>({ max: 16 });

/** Like `analyseQuery`, plus repetitions and the words that may be misspelt. */
export const readQueryTerms = (text: string): QueryTerms =>
  recentQueries.getOrCreate(text, () => computeQueryTerms(text));

function computeQueryTerms(text: string): QueryTerms {
  const words = new Map<string, string>();
  const query = cutQuery(text);
  // A query is too short to detect its language reliably; prefix terms that no chunk has cost nothing.
  const split: SplitIdentifier[] = [];
  const times = countEach(termsOf(query, languageOf(query) !== 'english', { words, split }));
  const timesInParts = countEach(split.flatMap(({ parts }) => parts));
  const terms = [...times.keys()];
  const contentTerms = terms.filter((term) => !stopWords.has(term));
  const chosen = (contentTerms.length > 0 ? contentTerms : terms).slice(0, MAX_QUERY_TERMS);
  const repeats = chosen.map((term) => [term, times.get(term) ?? 1] as const).filter(([, count]) => count > 1);
  const isOnlyPart = (term: string) => times.get(term) === timesInParts.get(term);
  return {
    terms: chosen,
    repeats,
    words: chosen.flatMap((term) => [[term, words.get(term)] as const].filter(isWord)),
    identifiers: split.map(({ whole, parts }) => [whole, [...new Set(parts)].filter(isOnlyPart)]),
  };
}

function countEach(terms: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
  return times;
}

/** Far more than any question has; a longer query is a pasted document and is truncated. */
export const MAX_QUERY_CHARACTERS = 20_000;
/** Looking up the document frequency of a term takes some 20 µs. */
const MAX_QUERY_TERMS = 2_000;

/** Truncates an over-long query at the end of a word. */
export function cutQuery(text: string): string {
  if (text.length <= MAX_QUERY_CHARACTERS) return text;
  const beginning = text.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
  const lastSpace = beginning.search(/\s\S*$/u);
  return lastSpace > MAX_QUERY_CHARACTERS / 2 ? beginning.slice(0, lastSpace) : beginning;
}

const isWord = (pair: readonly [string, string | undefined]): pair is readonly [string, string] =>
  pair[1] !== undefined;

/** The terms of a text in order, with repetitions. */
export const analyse = (text: string): string[] => termsOf(text, languageOf(text) === 'inflected');

/** Like `analyse`, for embedders: Arabic words are not stemmed. */
export const analyseForEmbedding = (text: string): string[] =>
  termsOf(text, languageOf(text) === 'inflected', { keepsArabic: true });

/** Like `analyse`, for texts too short to detect their language. */
export const analyseAs = (text: string, isInflected: boolean): string[] => termsOf(text, isInflected);

const LANGUAGE_SAMPLE = 4_000;
function languageOf(text: string): LatinLanguage {
  const sample = text.slice(0, LANGUAGE_SAMPLE);
  if (ASCII.test(sample)) return latinLanguage(sample.toLowerCase().match(/[a-z]+/g) ?? []);
  return latinLanguage((sample.match(/\p{sc=Latn}[\p{sc=Latn}\p{M}]*/gu) ?? []).map(foldWord));
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * Words are folded, and stemmed if they look English or are Arabic; identifiers yield themselves and their parts; words
 * of inflected languages and other alphabets yield themselves and their prefix, which inflection does not change;
 * scripts written without spaces yield overlapping bigrams or trigrams of characters. Nothing depends on the platform's
 * language data.
 */
function termsOf(text: string, isInflected: boolean, options: AnalysisOptions = {}): string[] {
  const normal = text.normalize('NFKC');
  const terms: string[] = [];
  if (options.words !== undefined) {
    addTerms(terms, normal, isInflected, options);
    return terms;
  }
  // No run extends beyond white space. Most pieces between it are one word, whose terms are known without looking for runs.
  for (const piece of normal.split(/\s+/)) {
    const word = PLAIN_WORD.exec(piece)?.[1];
    if (word === undefined) addTerms(terms, piece, isInflected, options);
    else addTerm(terms, word, isInflected, options);
  }
  return terms;
}

/** A piece of text that is a single run and part: no identifier, number or clitic. */
const PLAIN_WORD = /^["'(]*([A-Za-z][a-z]*)["').,:;!?]*$/;

function addTerms(terms: string[], text: string, isInflected: boolean, options: AnalysisOptions): void {
  for (const { groups, 0: run } of text.matchAll(RUN)) {
    if (groups?.['ideographs']) addGrams(terms, run, 2);
    else if (groups?.['unspaced']) addGrams(terms, run, 3);
    else if (groups?.['hangul']) addGrams(terms, run, 2);
    else if (groups?.['number']) terms.push(run.replaceAll(',', '').slice(0, MAX_TERM));
    else if (!groups?.['clitic']) addWord(terms, run, isInflected, options);
  }
}

// A run is a stretch of one kind of script. The number's look-ahead keeps `3rd` and `2x4` words; its bound limits the
// time.
const RUN =
  /(?<clitic>(?<=\p{L})['’](?:[stdm]|ll|re|ve)(?![\p{L}\p{M}\p{N}_]))|(?<ideographs>[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\u30fc]+)|(?<unspaced>[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]+)|(?<hangul>\p{sc=Hang}+)|(?<number>\p{Nd}+(?:[.,]\p{Nd}+){0,8}(?![\p{L}\p{M}\p{N}_]))|(?:[[\p{L}\p{M}\p{N}_]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}\p{sc=Hang}]])+/gv;

/** Longer terms are truncated: nobody types them, and a term must not be as large as a file. */
const MAX_TERM = 64;
const BEGINNING = 5;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu;

/** Options of the analysis; `words` and `split` collect details beyond the terms. */
interface AnalysisOptions {
  readonly keepsArabic?: boolean;
  /** The plain words, by their terms. */
  readonly words?: Map<string, string>;
  readonly split?: SplitIdentifier[];
}

interface SplitIdentifier {
  readonly whole: string;
  readonly parts: readonly string[];
}

function addWord(terms: string[], run: string, isInflected: boolean, analysis: AnalysisOptions): void {
  const { words, split } = analysis;
  const whole = run.replaceAll('_', '');
  if (whole === '') return;
  const place = terms.length;
  addTerm(terms, whole, isInflected, analysis);
  const parts = run.length <= MAX_TERM ? (run.match(PART) ?? []) : [];
  const term = terms[place];
  if (words !== undefined && term !== undefined && parts.length === 1 && /^[\p{L}\p{M}]+$/u.test(run)) {
    words.set(term, ARABIC.test(term) ? term : foldWord(run));
  }
  if (parts.length > 1) for (const part of parts) addTerm(terms, part, isInflected, analysis);
  if (term !== undefined && parts.length > 1 && /[^_]_+[^_]/.test(run)) {
    split?.push({ whole: term, parts: terms.slice(place + 1) });
  }
}

const ARABIC = /^\p{sc=Arab}+$/u;

function addTerm(terms: string[], word: string, isInflected: boolean, { keepsArabic = false }: AnalysisOptions): void {
  const known = isInflected ? undefined : englishTerms.get(word);
  if (known !== undefined) {
    terms.push(known);
    return;
  }
  const term = foldWord(word).slice(0, MAX_TERM).toWellFormed();
  if (term === '') return;
  if (!keepsArabic && ARABIC.test(term)) {
    const stem = arabicStem(term);
    terms.push(stem);
    addBeginning(terms, stem);
    return;
  }
  const looksEnglish = /^[a-z]+$/.test(term);
  const stem = looksEnglish && !stopWords.has(term) ? stemmer(term) : term;
  terms.push(stem);
  if (looksEnglish && word.length <= MAX_CACHED) englishTerms.set(word, stem);
  if (looksEnglish ? isInflected : /^[\p{L}\p{M}]+$/u.test(term)) addBeginning(terms, term);
}

/** The terms of words as written, of which most have occurred before. */
const englishTerms = new GenerationCache<string, string>({ max: 8_192 });
/** V8 stores a longer part of a string as a reference, which would keep the whole text in memory. */
const MAX_CACHED = 12;

function addBeginning(terms: string[], term: string): void {
  const beginning = beginningOf(term);
  if (beginning !== undefined) terms.push(beginning);
}

/**
 * The prefix term shared by all words that begin like this one; its hyphen distinguishes it from a word of the same
 * letters.
 */
export function beginningOf(word: string): string | undefined {
  const characters = [...word];
  return characters.length < BEGINNING ? undefined : `${characters.slice(0, BEGINNING).join('')}-`;
}

function addGrams(terms: string[], run: string, size: number): void {
  const characters = [...run];
  if (characters.length <= size) terms.push(run);
  else for (let at = 0; at + size <= characters.length; at++) terms.push(characters.slice(at, at + size).join(''));
}

const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ية', 'ه', 'ة', 'ي'];

/** Minimum number of letters that must remain of a word. */
const MIN_AFTER_CONJUNCTION = 3;
const MIN_STEM = 2;

/**
 * An Arabic word without its article, conjunction and most frequent endings; `word` is folded. This is light10 of L. S.
 * Larkey, L. Ballesteros and M. E. Connell, "Light Stemming for Arabic Information Retrieval" (2007).
 */
function arabicStem(word: string): string {
  let stem = word.startsWith('و') && word.length > MIN_AFTER_CONJUNCTION ? word.slice(1) : word;
  const article = ARTICLES.find((each) => stem.startsWith(each) && stem.length - each.length >= MIN_STEM);
  if (article !== undefined) stem = stem.slice(article.length);
  for (const suffix of SUFFIXES) {
    if (stem.endsWith(suffix) && stem.length - suffix.length >= MIN_STEM) stem = stem.slice(0, -suffix.length);
  }
  return stem;
}
