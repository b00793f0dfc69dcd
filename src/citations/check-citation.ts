import { graphHitText } from '../documents/graph-hit.ts';
import type { Citation, Quote, Source, Span } from './citation.ts';
import {
  type ComparableSentence,
  createContradictionCheck,
  isNegatedAt,
  toComparableSentences,
} from './contradiction.ts';
import { quotedIn, verbatimFinder, withoutFinalMarks } from './find-verbatim.ts';
import { numbersOf, requiredNumbers } from './numbers.ts';
import type { TextAnalyser } from './text-analyser.ts';
import { compareVerdicts, type Verdict } from './verdict.ts';

export interface CitationCheck {
  /** Position of the marker in the answer. */
  readonly span: Span;
  readonly statement: string;
  readonly verdict: Verdict;
  /** Weighted share of the statement's terms found in the cited source, 0 to 1; 1 for `verbatim`. */
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
  readonly cited: string;
  /** Number and text of the run's other sources. */
  readonly others: Iterable<readonly [number: number, text: string]>;
  readonly analyser: TextAnalyser;
}

const MIN_CLOSE_SCORE = 0.5;
/** With fewer terms, half of them is a single word, which any text may contain by chance. */
const MIN_TERMS_FOR_HALF = 3;
/** Shorter numbers occur in many texts by chance: with this weight, "3 months" alone would be half of a statement. */
const LONG_NUMBER = /\d(?:\D*\d){2}/;
const LONG_NUMBER_WEIGHT = 2;

/** Checks one statement; for `elsewhere`, `foundIn` is the number of the source that supports it. */
export function checkStatement(
  request: CheckRequest,
): Pick<CitationCheck, 'verdict' | 'score'> & { readonly foundIn?: number } {
  const { statement, cited, others, analyser } = request;
  const check = createStatementCheck(statement, analyser);
  const direct = check(toComparableText(cited, analyser));
  if (direct.verdict !== 'not_found') return direct;
  const scored = { verdict: direct.verdict, score: direct.score };
  for (const [number, text] of others) {
    const { verdict, score } = check(toComparableText(text, analyser));
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
  readonly terms: () => ReadonlySet<string>;
  readonly numbers: () => ReadonlySet<string>;
  readonly sentences: () => readonly ComparableSentence[];
}

export function toComparableText(text: string, analyser: TextAnalyser): ComparableText {
  let terms: ReadonlySet<string> | undefined;
  let numbers: ReadonlySet<string> | undefined;
  let sentences: readonly ComparableSentence[] | undefined;
  return {
    text,
    find: verbatimFinder(text),
    terms() {
      terms ??= new Set(analyser.analyse(text));
      return terms;
    },
    numbers() {
      numbers ??= numbersOf(text);
      return numbers;
    },
    sentences() {
      sentences ??= toComparableSentences(text, analyser);
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
  const terms = weighTerms(new Set(analyser.analyseQuery(statement)));
  const numbers = requiredNumbers(statement);
  const isContradicted = createContradictionCheck(statement, analyser);
  // A statement that is the rest of a negated sentence is not in the text; what it quotes is.
  const isIn = (text: ComparableText, piece: string): boolean => {
    const span = text.find(piece);
    return span !== undefined && (quoted.length > 0 || !isNegatedAt(text.text, span.start));
  };
  return (text) => {
    if (wanted.every((piece) => isIn(text, piece))) return { verdict: 'verbatim', score: 1 };
    const score = coverage(terms, text.terms());
    const isEnough = terms.size < MIN_TERMS_FOR_HALF ? score === 1 : score >= MIN_CLOSE_SCORE;
    // A different number makes a statement wrong, even when all words match.
    const hasNumbers = numbers.every((number) => text.numbers().has(number));
    if (quoted.length > 0 || !isEnough || !hasNumbers) return { verdict: 'not_found', score };
    if (isContradicted(text.sentences())) return { verdict: 'not_found', score, isContradicted: true };
    return { verdict: 'close', score };
  };
}

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

function weighTerms(terms: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map([...terms].map((term) => [term, LONG_NUMBER.test(term) ? LONG_NUMBER_WEIGHT : 1]));
}

function coverage(terms: ReadonlyMap<string, number>, known: ReadonlySet<string>): number {
  let total = 0;
  let found = 0;
  for (const [term, weight] of terms) {
    total += weight;
    if (known.has(term)) found += weight;
  }
  return total === 0 ? 0 : found / total;
}
