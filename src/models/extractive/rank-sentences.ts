import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { type Coverage, coverageAmong, shareAmong, supportAmong, type WeightedCoverage } from './coverage.ts';
import { type AnswerKind, containsAnswer, expectedAnswer, mayContainAnswer } from './expected-answer.ts';
import type { Question } from './question.ts';
import { type ReadSource, readSource, type SourceText } from './read-source.ts';
import { findCell, type TableCell } from './table-rows.ts';
import { bestOf, createMatcher, type Matches } from './term-matches.ts';
import { RANKING_WEIGHTS } from './weights.ts';

/** Features that predict whether a sentence answers the question. Shares are 0 to 1. */
export interface SentenceFeatures {
  /** Coverage of the question by the sentence; rare terms weigh more. */
  readonly words: number;
  /** Coverage that the sentences before and after add to it. */
  readonly before: number;
  readonly after: number;
  /** Coverage by its source. */
  readonly source: number;
  /** Share of matched terms, each counted alike. */
  readonly share: number;
  /** The rarest unmatched term, relative to the rarest of all. */
  readonly missing: number;
  /** Support by the sentence with its neighbours and headings, and by its whole source. */
  readonly near: number;
  readonly support: number;
  readonly rank: number;
  /** Full-text score of its source, relative to the best. */
  readonly score: number;
  /** Whether it contains the kind of answer asked for. */
  readonly kind: number;
  readonly fragment: number;
  /** For a row of a table, how well the question names the cell. */
  readonly cell: number;
}

/** A sentence or table row that may be quoted. */
export interface Candidate {
  readonly sourceIndex: number;
  /** Position among the sentences of its source. */
  readonly position: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly cell?: TableCell;
  /** Whether it is a row that repeats the column names, so that words of the question may match every row. */
  readonly isNamedRow: boolean;
  /** Whether it may contain the kind of answer asked for. */
  readonly mayAnswer: boolean;
  /** Whether it is the row asked for, without a value in the column asked for. */
  readonly lacksValue: boolean;
  /** Whether it is a label or a question, all of whose words are words of the question asked. */
  readonly isEcho: boolean;
  readonly features: SentenceFeatures;
  readonly score: number;
}

export interface RankedSentences {
  /** Kind of answer asked for, if it is known. */
  readonly kind: AnswerKind | undefined;
  readonly sources: readonly ReadSource[];
  /** Best first. */
  readonly candidates: readonly Candidate[];
  /** Support of the best source: half from all of it, half from its best sentence. */
  readonly mostSupport: number;
}

const MAX_FRAGMENT_LENGTH = 40;
const MIN_FIT = 0.5;

/** Ranks the sentences of the sources by how probably they answer. */
export function rankSentences(
  parsedQuestion: Question,
  given: { readonly question: string; readonly sources: readonly SourceText[]; readonly analyser: TextAnalyser },
  weights: SentenceFeatures = RANKING_WEIGHTS,
): RankedSentences {
  const { question, analyser } = given;
  const sources = given.sources.map((source, index) => readSource(source, index, analyser));
  const match = createMatcher(parsedQuestion.terms);
  const matched = sources.map(({ about, subject, sentences }): MatchedSource => {
    const ofAbout = match(about);
    const ofSentences = sentences.map(({ terms }) => match(terms));
    return {
      about: ofAbout,
      subject: match(subject),
      sentences: ofSentences,
      whole: ofSentences.reduce((best, each) => bestOf(best, each), ofAbout),
    };
  });
  const words = coverageAmong(
    parsedQuestion.terms,
    matched.flatMap(({ sentences }) => sentences),
  );
  const support = supportAmong(
    parsedQuestion.terms,
    matched.map(({ whole }) => whole),
  );
  const kind = expectedAnswer(question);
  const reading: Reading = {
    words,
    support,
    kind,
    analyser,
    match,
    share: shareAmong(parsedQuestion.terms),
    bestScore: sources.reduce((best, { score = 0 }) => Math.max(best, score), 0),
    forms: new Set(parsedQuestion.terms.flatMap(({ forms }) => forms)),
    withoutQuestion: withoutWordsOf(question),
  };
  const candidates = sources
    .flatMap((source, index) => candidatesOf(source, matched[index] ?? NOTHING_MATCHED, { ...reading, index }))
    .map((candidate) => ({ ...candidate, score: weighted(candidate.features, weights) }))
    .toSorted((a, b) => b.score - a.score);
  const mostSupport = candidates.reduce(
    (max, { features: { support, near } }) => Math.max(max, (support + near) / 2),
    0,
  );
  return { kind, sources, candidates, mostSupport };
}

interface MatchedSource {
  readonly about: Matches;
  readonly subject: Matches;
  readonly sentences: readonly Matches[];
  readonly whole: Matches;
}

const NOTHING_MATCHED: MatchedSource = { about: [], subject: [], sentences: [], whole: [] };

interface Reading {
  readonly words: WeightedCoverage;
  readonly support: WeightedCoverage;
  readonly share: Coverage;
  readonly kind: AnswerKind | undefined;
  readonly analyser: TextAnalyser;
  readonly match: (terms: Iterable<string>) => Matches;
  readonly bestScore: number;
  /** All forms of the question's terms. */
  readonly forms: ReadonlySet<string>;
  readonly withoutQuestion: (text: string) => string;
}

/** Sum of the features by their weights. */
export const weighted = <Features extends object>(features: Features, weights: Features): number =>
  Object.keys(features).reduce((sum, key) => {
    const name = key as keyof Features;
    return sum + Number(features[name]) * Number(weights[name]);
  }, 0);

function candidatesOf(
  { rank, score, sentences }: ReadSource,
  matched: MatchedSource,
  {
    words,
    support,
    share,
    kind,
    analyser,
    match,
    bestScore,
    forms,
    withoutQuestion,
    index,
  }: Reading & { index: number },
): Omit<Candidate, 'score'>[] {
  const wholeSource = words.of(matched.whole);
  const wholeSupport = support.of(matched.whole);
  let heading: Matches | undefined;
  return sentences.flatMap(({ start, end, text, terms, isHeading, record, row }, position) => {
    if (isHeading) heading = matched.sentences[position];
    if (isHeading || ANNOUNCEMENT.test(text)) return [];
    const cellQuery = { questionForms: forms, allowsText: kind !== 'number' };
    const found = row && findCell(row, analyser.analyseQuery, cellQuery);
    // "What was the net profit in 2021?" asks for a number without saying so.
    const isAnswer = found && (kind === 'number' || (found.isColumnNamed && found.fit >= MIN_FIT));
    const fitting = isAnswer ? found.cell : undefined;
    const lacksValue = isAnswer === true && found.isEmpty;
    const cell = lacksValue ? undefined : fitting;
    // Of a record, only the lines that the question names themselves are about what it asks for.
    const isNamed = record !== undefined && matched.sentences[position]?.some((match) => match > 0);
    const subject = isNamed ? bestOf(heading ?? matched.subject, matched.sentences[record]) : undefined;
    const own = bestOf(matched.sentences[position], fitting && row && match(row.context), subject);
    const [before, after] = [matched.sentences[position - 1], matched.sentences[position + 1]];
    const covered = words.of(own);
    const rest = kind === undefined ? text : withoutQuestion(text);
    const features: SentenceFeatures = {
      words: covered,
      before: words.of(bestOf(own, before)) - covered,
      after: words.of(bestOf(own, after)) - covered,
      source: wholeSource,
      share: share(own),
      missing: words.missing(own),
      near: support.of(bestOf(own, before, after, heading, matched.about)),
      support: wholeSupport,
      rank: 1 / (1 + rank / 2),
      score: bestScore > 0 ? (score ?? bestScore / 2) / bestScore : 0,
      kind: kind !== undefined && containsAnswer(kind, rest) ? 1 : 0,
      fragment: fitting === undefined && record === undefined && isFragment(text) ? 1 : 0,
      cell: fitting === undefined ? 0 : (found?.fit ?? 0),
    };
    const mayAnswer = kind === undefined || cell !== undefined || mayContainAnswer(kind, rest);
    const isNamedRow = row?.isNamed === true;
    const isRepeated = (term: string) => term.endsWith('-') || forms.has(term);
    const isEcho = features.fragment === 1 && !STATEMENT.test(text) && [...terms].every(isRepeated);
    const place = { sourceIndex: index, position, start, end };
    return [{ ...place, text, terms, ...(cell && { cell }), isNamedRow, mayAnswer, lacksValue, isEcho, features }];
  });
}

/** "Smoking is allowed." answers whether it is, though the question has the same words. */
const STATEMENT = /[.!。！]["”’»」]?$/;

/** "The fees are as follows:" announces an answer and contains none. */
const ANNOUNCEMENT = /[:：]\s*$/;

/** Removes names, dates and numbers of the question, which cannot be the answer. */
function withoutWordsOf(question: string): (text: string) => string {
  const questionWords = new Set(question.toLowerCase().match(WORDS) ?? []);
  return (text) => text.replace(WORDS, (word) => (questionWords.has(word.toLowerCase()) ? '_' : word));
}

const WORDS = /[\p{L}\p{N}]+/gu;

/** Whether the text is a bare label, a question or the synopsis of a command, which seldom answer. */
function isFragment(text: string): boolean {
  const dense = text.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hangul}]/gu)?.length ?? 0;
  return text.length + 2 * dense < MAX_FRAGMENT_LENGTH || /[?？؟]$/.test(text) || SYNOPSIS.test(text);
}

/** Several options in brackets: `git stash drop [-q | --quiet] [<stash>]`. */
const SYNOPSIS = /(?:\[(?:-|<)[^\]\n]{0,80}\][^[\]]{0,40}){2}/;
