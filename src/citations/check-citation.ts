import { graphHitText } from '../documents/graph-hit.ts';
import type { Citation, Quote, Source, Span } from './citation.ts';
import { createContradictionCheck } from './contradiction.ts';
import { isWholeWords, quotedIn, verbatimFinder, withoutFinalMarks } from './find-verbatim.ts';
import { isNegatedAfter, isNegatedBefore } from './negation.ts';
import { type SourceSentences, toSourceSentences } from './source-sentences.ts';
import { createSupportCheck } from './support.ts';
import type { TextAnalyser } from './text-analyser.ts';
import { compareVerdicts, type Verdict } from './verdict.ts';

export interface CitationCheck {
  /** Position of the marker in the answer. */
  readonly span: Span;
  readonly statement: string;
  readonly verdict: Verdict;
  /** Weighted share of the statement's words that the best one to three sentences of the source have; 1 for `verbatim`. */
  readonly score: number;
  /** For `elsewhere`: the source that supports the statement. */
  readonly foundIn?: Source;
  readonly quote?: Quote;
}

/** A citation with one check per marker. `verdict` and `score` are those of the weakest check. */
export interface CheckedCitation extends Citation {
  readonly verdict: Verdict;
  readonly score: number;
  readonly checks: readonly CitationCheck[];
}

export interface CheckRequest {
  readonly statement: string;
  readonly cited: ComparableText;
  /** Number and text of the run's other sources. */
  readonly others: Iterable<readonly [number: number, text: ComparableText]>;
  readonly analyser: TextAnalyser;
}

/** With a smaller share of the words, no sentence is about the same. */
const MIN_CONTRADICTED = 0.4;

/** Checks one statement; for `elsewhere`, `foundIn` is the number of the source that supports it. */
export function checkStatement(
  request: CheckRequest,
): Pick<CitationCheck, 'verdict' | 'score'> & { readonly foundIn?: number } {
  const { statement, cited, others, analyser } = request;
  const check = createStatementCheck(statement, analyser);
  const direct = check(cited);
  if (direct.verdict !== 'not_found') return direct;
  const scored = { verdict: direct.verdict, score: direct.score };
  for (const [number, text] of others) {
    const { verdict, score } = check(text);
    // A source with fewer of the words does not outweigh the cited one if that says otherwise.
    const isOutweighed = direct.isContradicted === true && verdict === 'close' && score < direct.score;
    if (verdict !== 'not_found' && !isOutweighed) return { ...scored, verdict: 'elsewhere', foundIn: number };
  }
  return scored;
}

/** A text that several statements are compared with; its analyses are lazy and cached. */
export interface ComparableText {
  readonly text: string;
  readonly find: (wanted: string) => Span | undefined;
  readonly sentences: () => SourceSentences;
}

/** `titles` are the title and headings that the text stands below. */
export function toComparableText(text: string, analyser: TextAnalyser, titles = ''): ComparableText {
  let sentences: SourceSentences | undefined;
  return {
    text,
    find: verbatimFinder(text),
    sentences() {
      sentences ??= toSourceSentences(text, titles, analyser);
      return sentences;
    },
  };
}

export interface ScoredVerdict extends Pick<CitationCheck, 'verdict' | 'score'> {
  /** Whether the text is about the same, but denies the statement or gives other numbers. */
  readonly isContradicted?: boolean;
}

/** Returns a function that checks one statement against any number of texts. */
export function createStatementCheck(
  statement: string,
  analyser: TextAnalyser,
): (text: ComparableText) => ScoredVerdict {
  const quoted = quotedIn(statement);
  const wanted = quoted.length > 0 ? quoted : [withoutFinalMarks(statement)];
  const support = createSupportCheck(statement, analyser);
  const contradictions = new Map<string, ReturnType<typeof createContradictionCheck>>();
  const isContradicted = (part: string, text: ComparableText): boolean => {
    const isDenied = contradictions.get(part) ?? createContradictionCheck(part, analyser);
    contradictions.set(part, isDenied);
    return isDenied(text.sentences().whole());
  };
  // A statement that is the rest of a negated sentence is not in the text; what it quotes is.
  const isIn = (text: ComparableText, piece: string): boolean => {
    const span = text.find(piece);
    if (span === undefined || !isWholeWords(text.text, span)) return false;
    return quoted.length > 0 || !(isNegatedBefore(text.text, span.start) || isNegatedAfter(text.text, span.end));
  };
  return (text) => {
    if (wanted.every((piece) => isIn(text, piece))) return { verdict: 'verbatim', score: 1 };
    const { score, isSupported, parts } = support(text.sentences());
    if (quoted.length === 0 && score >= MIN_CONTRADICTED && parts.some((part) => isContradicted(part, text)))
      return { verdict: 'not_found', score, isContradicted: true };
    if (!isSupported || quoted.length > 0) return { verdict: 'not_found', score };
    return { verdict: 'close', score };
  };
}

/** A source for checks, with its title and headings; without text for some sources. */
export function toComparableSource(source: Source, analyser: TextAnalyser): ComparableText {
  return toComparableText(sourceText(source), analyser, titlesOf(source));
}

function titlesOf(source: Source): string {
  switch (source.kind) {
    case 'chunk':
      return [titleIn(source.chunk.metadata), ...source.chunk.headingPath].join('\n');
    case 'document':
      return source.document.title;
    case 'graph':
      return '';
    case 'web':
      return source.page.title;
  }
}

const titleIn = ({ title }: Readonly<Record<string, unknown>>): string => (typeof title === 'string' ? title : '');

/** Text of a source for checks; empty for sources without text. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'chunk':
      return source.chunk.text;
    case 'document':
      return source.passage?.text ?? source.document.summary ?? '';
    case 'graph':
      return graphHitText(source.hit);
    case 'web':
      return `${source.page.title}\n${source.page.text}`;
  }
}

/** The weakest of these checks; no checks at all count as not found. */
export function weakestVerdict(checks: readonly CitationCheck[]): Pick<CitationCheck, 'verdict' | 'score'> {
  const [weakest] = checks.toSorted((a, b) => compareVerdicts(b.verdict, a.verdict) || a.score - b.score);
  return weakest === undefined
    ? { verdict: 'not_found', score: 0 }
    : { verdict: weakest.verdict, score: weakest.score };
}
