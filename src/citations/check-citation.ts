import { graphHitText } from '../documents/graph-hit.ts';
import type { Citation, Quote, Source, Span } from './citation.ts';
import { quotedIn, verbatimFinder } from './find-verbatim.ts';
import type { TextAnalyser } from './text-analyser.ts';

/**
 * How a statement relates to the source it is put to, decided without a model (chances.md C1):
 * `verbatim` its words (or all it quotes) stand there; `close` most of its terms and all its numbers do; `elsewhere`
 * they do not, but stand in another source of the run; `not_found` in none.
 */
export type Verdict = 'verbatim' | 'close' | 'elsewhere' | 'not_found';

export interface CitationCheck {
  /** The marker in the answer. */
  readonly span: Span;
  readonly statement: string;
  readonly verdict: Verdict;
  /** Share of the statement's weight found in the cited source, 0 to 1; 1 for `verbatim`. */
  readonly score: number;
  /** The source that does say it, for `elsewhere`. */
  readonly foundIn?: Source;
  readonly quote?: Quote;
}

/** A citation with one check per marker. `verdict` and `score` are those of its weakest check. */
export interface CheckedCitation extends Citation {
  readonly verdict: Verdict;
  readonly score: number;
  readonly checks: readonly CitationCheck[];
}

export interface CheckRequest {
  readonly statement: string;
  readonly cited: string;
  /** Texts of the run's other sources by number. */
  readonly others: Iterable<readonly [number: number, text: string]>;
  readonly analyser: TextAnalyser;
}

const MIN_CLOSE_SCORE = 0.5;
const NUMBER_WEIGHT = 2;

/** The verdict on one statement; `foundIn` is the number of another source that says it, for `elsewhere`. */
export function checkStatement(
  request: CheckRequest,
): Pick<CitationCheck, 'verdict' | 'score'> & { readonly foundIn?: number } {
  const { statement, cited, others, analyser } = request;
  const check = createStatementCheck(statement, analyser);
  const direct = check(comparable(cited, analyser));
  if (direct.verdict !== 'not_found') return direct;
  for (const [number, text] of others) {
    if (check(comparable(text, analyser)).verdict !== 'not_found')
      return { ...direct, verdict: 'elsewhere', foundIn: number };
  }
  return direct;
}

/** A text that several statements are put to: each thing about it is found out once, when it is first asked for. */
export interface ComparableText {
  readonly find: (wanted: string) => Span | undefined;
  readonly terms: () => ReadonlySet<string>;
  readonly numbers: () => ReadonlySet<string>;
}

export function comparable(text: string, analyser: TextAnalyser): ComparableText {
  let terms: ReadonlySet<string> | undefined;
  let numbers: ReadonlySet<string> | undefined;
  return {
    find: verbatimFinder(text),
    terms() {
      terms ??= new Set(analyser.analyse(text));
      return terms;
    },
    numbers() {
      numbers ??= new Set(text.match(NUMBER));
      return numbers;
    },
  };
}

type ScoredVerdict = Pick<CitationCheck, 'verdict' | 'score'>;

/** Judges one statement by any number of texts. */
export function createStatementCheck(
  statement: string,
  analyser: TextAnalyser,
): (text: ComparableText) => ScoredVerdict {
  const quoted = quotedIn(statement);
  const wanted = quoted.length > 0 ? quoted : [statement.replace(/[.!?。！？]+$/, '')];
  const terms = weighTerms(new Set(analyser.analyseQuery(statement)));
  const numbers = statement.match(NUMBER) ?? [];
  return (text) => {
    if (wanted.every((piece) => text.find(piece) !== undefined)) return { verdict: 'verbatim', score: 1 };
    const score = coverage(terms, text.terms());
    // A changed figure is a wrong statement, however alike the words are.
    const isClose =
      quoted.length === 0 && score >= MIN_CLOSE_SCORE && numbers.every((number) => text.numbers().has(number));
    return { verdict: isClose ? 'close' : 'not_found', score };
  };
}

/** The text a source can be checked against; empty for sources that carry none. */
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

const STRONGEST_TO_WEAKEST: readonly Verdict[] = ['verbatim', 'close', 'elsewhere', 'not_found'];

/** The weakest of these checks; a citation without any says nothing and counts as not found. */
export function weakest(checks: readonly CitationCheck[]): Pick<CitationCheck, 'verdict' | 'score'> {
  const [worst] = checks.toSorted(
    (a, b) => STRONGEST_TO_WEAKEST.indexOf(b.verdict) - STRONGEST_TO_WEAKEST.indexOf(a.verdict) || a.score - b.score,
  );
  return worst === undefined ? { verdict: 'not_found', score: 0 } : { verdict: worst.verdict, score: worst.score };
}

export const supports = (verdict: Verdict): boolean => verdict === 'verbatim' || verdict === 'close';

function weighTerms(terms: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map([...terms].map((term) => [term, /\d/.test(term) ? NUMBER_WEIGHT : 1]));
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

const NUMBER = /\d+(?:[.,:]\d+)*/g;
