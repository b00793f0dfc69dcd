import type { Span } from '../../citations/citation.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { splitSentences } from '../../documents/sentences.ts';
import { type Coverage, coverageAmong, supportAmong } from './coverage.ts';
import { type AnswerKind, expectedAnswer, holdsAnswer } from './expected-answer.ts';
import { readQuestion } from './question.ts';
import { withAntecedent } from './with-antecedent.ts';

export interface Passage {
  readonly text: string;
  /** Words that say what the passage is about without being in it: title and headings. */
  readonly about: string;
  /** Its place among those it was found with, from 0; without one, its place among those given. */
  readonly rank?: number;
}

/** A stretch of a passage that answers; offsets into the passage's text. */
export interface ChosenQuote extends Span {
  /** Index into the passages given. */
  readonly passage: number;
}

export interface QuoteChoice {
  readonly question: string;
  /** Best first. */
  readonly passages: readonly Passage[];
  readonly analyser: TextAnalyser;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 3;

// What a sentence is worth, in shares of the question covered. Chosen on three languages of XQuAD, on a broad plateau.
const WORTH = { passage: 0.5, neighbours: 0.2, about: 0.15, kind: 0.2, rank: 0.25, fragment: -0.1, length: -0.0004 };
const WITHOUT_OWN_TERMS = 0.3;
const REDUNDANCY = 0.35;
// A further quote must be worth this much of the first, what it repeats taken off. Measured on three languages of XQuAD:
// 1.8 quotes on average hold the answer to 0.88 of the questions, 3.5 to 0.92.
const LEAST_OF_BEST = 0.65;
// The same of what a sentence is worth by itself, its passage's share left out.
const LEAST_OF_BEST_ALONE = 0.45;
const FRAGMENT_WIDTH = 40;
// Longer is seldom a sentence: mostly a page whose full stops were lost.
const LONG_WIDTH = 300;

interface Sentence extends ChosenQuote {
  readonly terms: ReadonlySet<string>;
  readonly worth: number;
  /** The part of its worth that is not its passage's. */
  readonly alone: number;
}

interface ReadSentence extends Span {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly isHeading: boolean;
}

interface ReadPassage {
  readonly rank: number | undefined;
  readonly about: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
  readonly sentences: readonly ReadSentence[];
}

/** The sentences that answer best, best first; empty when nothing supports an answer. */
export function chooseQuotes({ question, passages, analyser, limit = DEFAULT_LIMIT }: QuoteChoice): ChosenQuote[] {
  const asked = readQuestion(question, analyser);
  const read = passages.map((passage) => readPassage(passage, analyser));
  const support = supportAmong(
    asked.terms,
    read.map(({ terms }) => terms),
  );
  if (!read.some((passage) => supportOf(passage, support) >= asked.leastSupport)) return [];

  const coverage = coverageAmong(
    asked.terms,
    read.flatMap(({ sentences }) => sentences.map(({ terms }) => terms)),
  );
  const kind = expectedAnswer(question);
  const weighed = read.flatMap((passage, index) => weighSentences(passage, { index, coverage, kind, question }));
  const quotes: ChosenQuote[] = [];
  for (const { passage, start, end } of pickDifferent(weighed, limit)) {
    const alone = { passage, start, end };
    const whole = withAntecedent(alone, passages[passage]?.text ?? '', read[passage]?.sentences ?? []);
    const isFree = (quote: ChosenQuote) => !quotes.some((other) => overlap(quote, other));
    if (isFree(whole)) quotes.push(whole);
    else if (isFree(alone)) quotes.push(alone);
  }
  return quotes;
}

const overlap = (a: ChosenQuote, b: ChosenQuote): boolean =>
  a.passage === b.passage && a.start < b.end && b.start < a.end;

function readPassage({ text, about, rank }: Passage, analyser: TextAnalyser): ReadPassage {
  const headings = new Set(about.split('\n').map(asHeading));
  const sentences = splitSentences(text).map(({ start, end }) => {
    const sentence = text.slice(start, end);
    const isHeading = MARKED_HEADING.test(sentence) || headings.has(asHeading(sentence));
    return { start, end, text: sentence, terms: new Set(analyser.analyseQuery(sentence)), isHeading };
  });
  const aboutTerms = new Set(analyser.analyseQuery(about));
  const terms = sentences.reduce<ReadonlySet<string>>((all, sentence) => all.union(sentence.terms), aboutTerms);
  return { rank, about: aboutTerms, terms, sentences };
}

const MARKED_HEADING = /^#{1,6}\s/;

const asHeading = (line: string): string =>
  line
    .replace(/^[#\s]+|[#\s]+$/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();

/** How well a passage answers: half by all it says, half by its best two sentences. */
function supportOf({ about, terms, sentences }: ReadPassage, support: Coverage): number {
  const best = sentences.map((sentence, index) =>
    support(sentence.terms.union(sentences[index + 1]?.terms ?? NO_TERMS).union(about)),
  );
  return (support(terms) + Math.max(0, ...best)) / 2;
}

const NO_TERMS: ReadonlySet<string> = new Set();

interface Weighing {
  /** The passage's place among those found. */
  readonly index: number;
  readonly coverage: Coverage;
  readonly kind: AnswerKind | undefined;
  readonly question: string;
}

function weighSentences(
  { rank, about, terms, sentences }: ReadPassage,
  { index, coverage, kind, question }: Weighing,
): Sentence[] {
  const shared = WORTH.passage * coverage(terms) + WORTH.rank / (1 + (rank ?? index) / 2);
  return sentences.flatMap(({ start, end, text, terms: own, isHeading }, at) => {
    // It names what is answered below it and answers nothing itself.
    if (isHeading) return [];
    const covered = coverage(own);
    const near = (sentences[at - 1]?.terms ?? NO_TERMS).union(sentences[at + 1]?.terms ?? NO_TERMS);
    let alone = covered;
    alone += WORTH.neighbours * (coverage(own.union(near)) - covered);
    alone += WORTH.about * (coverage(own.union(about)) - covered);
    if (kind !== undefined && holdsAnswer(kind, withoutWordsOf(question, text))) alone += WORTH.kind;
    if (isFragment(text)) alone += WORTH.fragment;
    alone += WORTH.length * Math.max(0, text.length - LONG_WIDTH);
    const worth = (shared + alone) * (covered === 0 ? WITHOUT_OWN_TERMS : 1);
    return [{ passage: index, start, end, terms: own, worth, alone }];
  });
}

/** A name, date or number of the question's own is no answer. */
function withoutWordsOf(question: string, text: string): string {
  const asked = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => (asked.has(word.toLowerCase()) ? '_' : word));
}

/** Lone labels and questions seldom answer. */
function isFragment(text: string): boolean {
  const dense = text.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}]/gu)?.length ?? 0;
  return text.length + 2 * dense < FRAGMENT_WIDTH || /[?？]$/.test(text);
}

/** The worthiest, each weighed again by how much of it the chosen ones say already. */
function pickDifferent(sentences: readonly Sentence[], limit: number): Sentence[] {
  const chosen: Sentence[] = [];
  let left = sentences.toSorted((a, b) => b.worth - a.worth).slice(0, CANDIDATES);
  while (chosen.length < limit) {
    const newness = (sentence: Sentence) => sentence.worth - REDUNDANCY * repetition(sentence, chosen);
    const best = left.reduce<Sentence | undefined>(
      (most, sentence) => (most === undefined || newness(sentence) > newness(most) ? sentence : most),
      undefined,
    );
    const [first] = chosen;
    if (best === undefined || newness(best) < LEAST_OF_BEST * (first?.worth ?? 0)) return chosen;
    if (first === undefined || best.alone >= LEAST_OF_BEST_ALONE * first.alone) chosen.push(best);
    left = left.filter((sentence) => sentence !== best && !isSame(sentence, best));
  }
  return chosen;
}

const CANDIDATES = 60;

function repetition({ terms }: Sentence, chosen: readonly Sentence[]): number {
  const shares = chosen.map(
    (other) => terms.intersection(other.terms).size / Math.max(1, Math.min(terms.size, other.terms.size)),
  );
  return Math.max(0, ...shares);
}

/** Overlapping chunks and copies of a document give the same sentence twice. */
const isSame = (a: Sentence, b: Sentence): boolean => a.terms.size === b.terms.size && a.terms.isSubsetOf(b.terms);
