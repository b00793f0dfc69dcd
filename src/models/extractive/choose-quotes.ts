import type { Span } from '../../citations/citation.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { splitSentences } from '../../documents/sentences.ts';
import type { QuoteSupport } from '../model.ts';
import { isConfident, isFew } from './confidence.ts';
import { type Coverage, coverageAmong, shareOf, supportAmong } from './coverage.ts';
import { type AnswerKind, containsAnswer, expectedAnswer, mayContainAnswer } from './expected-answer.ts';
import { readQuestion } from './question.ts';
import { cellAskedFor, type TableCell, type TableRow, tableRowsOf } from './table-rows.ts';

/** Text of a source from which quotes are chosen. */
export interface SourceText {
  readonly text: string;
  /** Title and headings: terms that describe the source without being part of it. */
  readonly about: string;
  /** Rank in the search results, from 0; defaults to the position in the list. */
  readonly rank?: number;
  /** BM25 sum of the full-text search that found it. */
  readonly score?: number;
}

/** A sentence or row that answers the question; offsets in the source's text. */
export interface ChosenQuote extends Span {
  /** Index into the sources given. */
  readonly sourceIndex: number;
  /** For a table row, the cell that answers. */
  readonly cell?: TableCell;
}

/** `closest` means that the quotes may not answer the question; with `none` there are no quotes. */
export interface QuoteSelection {
  readonly support: QuoteSupport;
  /** Best first. */
  readonly quotes: readonly ChosenQuote[];
}

export interface QuoteChoice {
  readonly question: string;
  /** Best first. */
  readonly sources: readonly SourceText[];
  readonly analyser: TextAnalyser;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 3;

// Weights of a sentence's score, relative to coverage of the question. Tuned on three languages of XQuAD; the optimum is
// a broad plateau.
const SCORE_WEIGHTS = {
  source: 0.5,
  neighbours: 0.2,
  about: 0.15,
  kind: 0.2,
  cell: 0.5,
  rank: 0.25,
  fragment: -0.1,
  length: -0.0004,
};
const FACTOR_WITHOUT_OWN_TERMS = 0.3;
const REDUNDANCY = 0.35;
// Minimum score of a further quote relative to the best, after the penalty for redundancy. Measured on three languages of
// XQuAD: with 1.8 quotes on average 0.88 of the questions have the answer quoted, with 3.5 quotes 0.92.
const MIN_SHARE_OF_BEST = 0.65;
// The same for the sentence's own score, without its source's share.
const MIN_SHARE_OF_BEST_OWN_SCORE = 0.45;
const MAX_FRAGMENT_LENGTH = 40;
// Longer "sentences" are mostly pages whose full stops were lost.
const LONG_SENTENCE_LENGTH = 300;

interface Sentence extends ChosenQuote {
  readonly terms: ReadonlySet<string>;
  readonly score: number;
  /** Score without the source's share. */
  readonly ownScore: number;
  readonly text: string;
}

interface ReadSentence extends Span {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** A heading introduces text but states nothing itself. */
  readonly isHeading: boolean;
  /** `context`: terms of the column names and of the line above the table; they apply to each row. */
  readonly row?: TableRow & { readonly context: ReadonlySet<string> };
}

interface ReadSource {
  readonly rank: number | undefined;
  readonly about: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
  readonly sentences: readonly ReadSentence[];
}

/** Chooses the sentences that best answer the question and estimates whether they do. */
export function chooseQuotes({ question, sources, analyser, limit = DEFAULT_LIMIT }: QuoteChoice): QuoteSelection {
  const asked = readQuestion(question, analyser);
  const read = sources.map((source) => readSource(source, analyser));
  const support = supportAmong(
    asked.terms,
    read.map(({ terms }) => terms),
  );
  const supports = read.map((source) => supportOf(source, support));
  const most = Math.max(0, ...supports);
  if (most === 0 || asked.terms.length === 0) return NO_QUOTES;

  const coverage = coverageAmong(
    asked.terms,
    read.flatMap(({ sentences }) => sentences.map(({ terms }) => terms)),
  );
  const kind = expectedAnswer(question);
  const terms = new Set(asked.terms.flatMap(({ forms }) => forms));
  const weighed = read.flatMap((source, index) =>
    weighSentences(source, { index, coverage, kind, question, asked: terms, analyser }),
  );
  const isOfKind = ({ text }: Sentence) =>
    kind === undefined || mayContainAnswer(kind, withoutQuestionWords(question, text));
  const picked = withKind(pickDiverse(weighed, limit), weighed, { isOfKind, limit });
  const [best] = picked;
  if (best === undefined) return NO_QUOTES;
  const isAnswer =
    picked.some(isOfKind) &&
    isConfident({
      supports,
      quoteSupport: support(best.terms.union(read[best.sourceIndex]?.about ?? NO_TERMS)),
      quoteShare: shareOf(asked.terms, aroundQuote(best, read[best.sourceIndex])),
      scores: sources.flatMap(({ score }) => score ?? []).toSorted((a, b) => b - a),
      termCount: asked.terms.length,
      ngramShare: asked.ngramShare,
      trigramShare: asked.trigramShare,
      isInflected: asked.isInflected,
    });
  const needed = asked.minSupport * (isFew(sources.length) ? NEEDED_OF_FEW : 1);
  if (!isAnswer && most < needed) return NO_QUOTES;
  return { support: isAnswer ? 'answer' : 'closest', quotes: withAntecedents(picked, sources, read) };
}

/** The terms of a quote, of the sentences beside it and of the headings above. */
function aroundQuote({ start, terms }: Sentence, source: ReadSource | undefined): ReadonlySet<string> {
  const { sentences = [], about = NO_TERMS } = source ?? {};
  const at = sentences.findIndex((sentence) => sentence.start === start);
  const beside = [sentences[at - 1], sentences[at + 1]].map((sentence) => sentence?.terms ?? NO_TERMS);
  return beside.reduce((all, each) => all.union(each), terms.union(about));
}

/** For a question about a date or number, prefers nearly equal sentences that contain one. */
function withKind(
  picked: readonly Sentence[],
  all: readonly Sentence[],
  { isOfKind, limit }: { readonly isOfKind: (sentence: Sentence) => boolean; readonly limit: number },
): readonly Sentence[] {
  const [best] = picked;
  if (best === undefined || picked.some(isOfKind)) return picked;
  const fit = all
    .filter((sentence) => sentence.score >= MIN_SHARE_OF_BEST * best.score && isOfKind(sentence))
    .toSorted((a, b) => b.score - a.score)[0];
  return fit === undefined ? picked : [fit, ...picked].slice(0, limit);
}

// Words that few sources lack seem rare among them.
const NEEDED_OF_FEW = 0.7;

const NO_QUOTES: QuoteSelection = { support: 'none', quotes: [] };

function withAntecedents(
  picked: readonly Sentence[],
  sources: readonly SourceText[],
  read: readonly ReadSource[],
): ChosenQuote[] {
  const quotes: ChosenQuote[] = [];
  for (const { sourceIndex, start, end, cell } of picked) {
    const alone = { sourceIndex, start, end, ...(cell && { cell }) };
    const whole = withAntecedent(alone, sources[sourceIndex]?.text ?? '', read[sourceIndex]?.sentences ?? []);
    const isFree = (quote: ChosenQuote) => !quotes.some((other) => overlap(quote, other));
    if (isFree(whole)) quotes.push(whole);
    else if (isFree(alone)) quotes.push(alone);
  }
  return quotes;
}

const overlap = (a: ChosenQuote, b: ChosenQuote): boolean =>
  a.sourceIndex === b.sourceIndex && a.start < b.end && b.start < a.end;

function readSource({ text, about, rank }: SourceText, analyser: TextAnalyser): ReadSource {
  const headings = new Set(about.split('\n').map(asHeading));
  const pieces = piecesOf(text);
  const rows = tableRowsOf(text, pieces);
  let above = '';
  const sentences = pieces.map(({ start, end }, index): ReadSentence => {
    const sentence = text.slice(start, end);
    const row = rows[index];
    if (row === undefined) above = sentence;
    const isHeading = row === 'header' || MARKED_HEADING.test(sentence) || headings.has(asHeading(sentence));
    const read = { start, end, text: sentence, terms: new Set(analyser.analyseQuery(sentence)), isHeading };
    if (row === undefined || row === 'header') return read;
    const context = new Set(analyser.analyseQuery([above, ...row.header].join('\n')));
    return { ...read, row: { ...row, context } };
  });
  const aboutTerms = new Set(analyser.analyseQuery(about));
  const terms = sentences.reduce<ReadonlySet<string>>((all, sentence) => all.union(sentence.terms), aboutTerms);
  return { rank, about: aboutTerms, terms, sentences };
}

// In scripts without full stops a space ends a clause; clauses are joined, because one alone seldom names its subject.
const MAX_CLAUSES_LENGTH = 180;
const WITHOUT_FULL_STOPS = /[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

function piecesOf(text: string): Span[] {
  const sentences = splitSentences(text);
  if (!WITHOUT_FULL_STOPS.test(text)) return sentences;
  const pieces: Span[] = [];
  for (const { start, end } of sentences) {
    const last = pieces.at(-1);
    const isFull = last === undefined || last.end - last.start >= MAX_CLAUSES_LENGTH;
    if (isFull || text.slice(last.end, start).includes('\n')) pieces.push({ start, end });
    else pieces[pieces.length - 1] = { start: last.start, end };
  }
  return pieces;
}

const MARKED_HEADING = /^#{1,6}\s/;

const asHeading = (line: string): string =>
  line
    .replace(/^[#\s]+|[#\s]+$/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();

/** Support of a source for the question: half from all its terms, half from its best two sentences. */
function supportOf({ about, terms, sentences }: ReadSource, support: Coverage): number {
  const best = sentences.map((sentence, index) =>
    support(sentence.terms.union(sentences[index + 1]?.terms ?? NO_TERMS).union(about)),
  );
  return (support(terms) + Math.max(0, ...best)) / 2;
}

const NO_TERMS: ReadonlySet<string> = new Set();

interface Weighing {
  /** Rank of the source. */
  readonly index: number;
  readonly coverage: Coverage;
  readonly kind: AnswerKind | undefined;
  readonly question: string;
  /** Terms of the question. */
  readonly asked: ReadonlySet<string>;
  readonly analyser: TextAnalyser;
}

function weighSentences(
  { rank, about, terms, sentences }: ReadSource,
  { index, coverage, kind, question, asked, analyser }: Weighing,
): Sentence[] {
  const shared = SCORE_WEIGHTS.source * coverage(terms) + SCORE_WEIGHTS.rank / (1 + (rank ?? index) / 2);
  return sentences.flatMap(({ start, end, text, terms, isHeading, row }, at) => {
    if (isHeading || ANNOUNCEMENT.test(text)) return [];
    const cell = row && kind === 'number' ? cellAskedFor(row, analyser.analyseQuery, asked) : undefined;
    const own = cell === undefined || row === undefined ? terms : terms.union(row.context);
    const covered = coverage(own);
    const near = (sentences[at - 1]?.terms ?? NO_TERMS).union(sentences[at + 1]?.terms ?? NO_TERMS);
    let ownScore = covered;
    ownScore += SCORE_WEIGHTS.neighbours * (coverage(own.union(near)) - covered);
    ownScore += SCORE_WEIGHTS.about * (coverage(own.union(about)) - covered);
    const holdsKind = kind !== undefined && containsAnswer(kind, withoutQuestionWords(question, text));
    if (holdsKind) ownScore += SCORE_WEIGHTS.kind;
    if (cell !== undefined) ownScore += SCORE_WEIGHTS.cell;
    else if (isFragment(text)) ownScore += SCORE_WEIGHTS.fragment;
    ownScore += SCORE_WEIGHTS.length * Math.max(0, text.length - LONG_SENTENCE_LENGTH);
    const score = (shared + ownScore) * (covered === 0 ? FACTOR_WITHOUT_OWN_TERMS : 1);
    return [{ sourceIndex: index, start, end, terms: own, score, ownScore, text, ...(cell && { cell }) }];
  });
}

/** "The fees are as follows:" announces an answer and contains none. */
const ANNOUNCEMENT = /[:：]\s*$/;

/** Removes names, dates and numbers of the question, which cannot be the answer. */
function withoutQuestionWords(question: string, text: string): string {
  const asked = new Set(question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  return text.replace(/[\p{L}\p{N}]+/gu, (word) => (asked.has(word.toLowerCase()) ? '_' : word));
}

/** Whether the text is a bare label or a question, which seldom answers. */
function isFragment(text: string): boolean {
  const dense = text.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}]/gu)?.length ?? 0;
  return text.length + 2 * dense < MAX_FRAGMENT_LENGTH || /[?？]$/.test(text);
}

/** Picks sentences by score with a redundancy penalty (MMR). */
function pickDiverse(sentences: readonly Sentence[], limit: number): Sentence[] {
  const chosen: Sentence[] = [];
  let left = sentences.toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES);
  while (chosen.length < limit) {
    const newness = (sentence: Sentence) => sentence.score - REDUNDANCY * repetition(sentence, chosen);
    const best = left.reduce<Sentence | undefined>(
      (most, sentence) => (most === undefined || newness(sentence) > newness(most) ? sentence : most),
      undefined,
    );
    const [first] = chosen;
    if (best === undefined || newness(best) < MIN_SHARE_OF_BEST * (first?.score ?? 0)) return chosen;
    if (first === undefined || best.ownScore >= MIN_SHARE_OF_BEST_OWN_SCORE * first.ownScore) chosen.push(best);
    left = left.filter((sentence) => sentence !== best && !isSame(sentence, best));
  }
  return chosen;
}

const MAX_CANDIDATES = 60;

function repetition({ terms }: Sentence, chosen: readonly Sentence[]): number {
  const shares = chosen.map(
    (other) => terms.intersection(other.terms).size / Math.max(1, Math.min(terms.size, other.terms.size)),
  );
  return Math.max(0, ...shares);
}

/** Overlapping chunks and duplicate documents contain the same sentence. */
const isSame = (a: Sentence, b: Sentence): boolean => a.terms.size === b.terms.size && a.terms.isSubsetOf(b.terms);

// Anaphoric words at the start of a sentence.
const ANAPHOR =
  /^["“„«(]?(?:(?:he|she|it|they|his|her|its|their|this|these|that|those|such|here|there|er|sie|es|dies|diese[rsmn]?|il|elle|ils|elles|ce|cela|ella|él|ellos|esto|este|esta)(?![\p{L}\p{N}])|[他她它这那該该其此]|彼|彼女|それ|これ|そこ)/iu;
const MAX_COMBINED_LENGTH = 500;

/** Prepends the sentence before the quote when the quote opens with a word such as "He" that refers back. */
function withAntecedent<Quote extends Span>(quote: Quote, text: string, sentences: readonly Span[]): Quote {
  const before = sentences[sentences.findIndex(({ start }) => start === quote.start) - 1];
  if (before === undefined || !ANAPHOR.test(text.slice(quote.start, quote.end))) return quote;
  // References do not cross paragraphs.
  const isSameParagraph = !/\n\s*\n/.test(text.slice(before.end, quote.start));
  return isSameParagraph && quote.end - before.start <= MAX_COMBINED_LENGTH ? { ...quote, start: before.start } : quote;
}
