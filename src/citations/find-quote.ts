import type { Chunk } from '../documents/chunk.ts';
import { placeAt } from '../documents/places.ts';
import { splitSentences } from '../documents/sentences.ts';
import type { Quote, Span } from './citation.ts';
import { findVerbatim, quotedIn } from './find-verbatim.ts';
import type { TextAnalyser } from './text-analyser.ts';

/** A text with its position in a document: a chunk, or a section that was read. */
export type Quotable = Pick<Chunk, 'text' | 'start' | 'page' | 'headingPath' | 'places'>;

export interface QuoteRequest {
  readonly chunk: Quotable;
  /** The statement that cites this chunk. */
  readonly statement: string;
  /** Breaks ties when the statement alone ("Yes.", "In 1889.") has too few terms. */
  readonly question: string;
  readonly analyser: TextAnalyser;
}

// Minimum weighted coverage of the statement's terms for exact matches to decide; below it, terms with a common prefix
// count too.
const MIN_COVERAGE = 0.25;
const PREFIX_MATCH_WEIGHT = 0.5;
/**
 * Shorter common prefixes are coincidental ("finish", "final"); longer ones mean related words ("regulated",
 * "regulator").
 */
const MIN_PREFIX_LENGTH = 5;
// Minimum additional coverage for quoting a second sentence.
const MIN_GAIN_OF_SECOND = 0.15;
const QUESTION_WEIGHT = 0.25;
const NUMBER_WEIGHT = 2;

/**
 * The part of the chunk that supports a statement: text the statement quotes, if found verbatim; or else the one or two
 * sentences with the highest term overlap; the whole chunk when there is no overlap at all.
 */
export function findQuote(request: QuoteRequest): Quote {
  const { chunk, statement } = request;
  for (const quoted of quotedIn(statement)) {
    const span = findVerbatim(chunk.text, quoted);
    if (span !== undefined) return quoteOf(chunk, span);
  }
  return quoteOf(chunk, closestSentences(request) ?? { start: 0, end: chunk.text.length });
}

/**
 * Turns a span of the chunk into a quote; `span` is relative to the chunk's text. Offsets are exact for chunks cut from
 * the extracted text; for edited or ready-made chunks they are counted from `chunk.start`. Page and headings are those
 * at the start of the quote.
 */
export function quoteOf(chunk: Quotable, span: Span): Quote {
  const text = chunk.text.slice(span.start, span.end);
  const start = span.start + (text.length - text.trimStart().length);
  const trimmed = text.trim();
  return {
    start: chunk.start + start,
    end: chunk.start + start + trimmed.length,
    text: trimmed,
    ...placeAt(chunk, chunk.start + start),
  };
}

interface Candidate extends Span {
  readonly terms: ReadonlySet<string>;
}

function closestSentences({ chunk, statement, question, analyser }: QuoteRequest): Span | undefined {
  const sentences = splitSentences(chunk.text).map(
    ({ start, end }): Candidate => ({
      start,
      end,
      terms: new Set(analyser.analyseQuery(chunk.text.slice(start, end))),
    }),
  );
  const weights = weighTerms(
    sentences,
    new Set(analyser.analyseQuery(statement)),
    new Set(analyser.analyseQuery(question)),
  );
  const total = sum(weights.values());
  if (total === 0) return undefined;
  const byWords = bestSpan(sentences, ({ terms }) => sum(shared(terms, weights)) / total);
  if (byWords !== undefined && byWords.coverage >= MIN_COVERAGE) return byWords.span;
  return bestSpan(sentences, ({ terms }) => sum(sharedByPrefix(terms, weights)) / total)?.span;
}

/**
 * The sentence with the highest coverage, joined with a neighbour if that adds enough; undefined without any overlap.
 */
function bestSpan(
  sentences: readonly Candidate[],
  coverage: (sentence: Pick<Candidate, 'terms'>) => number,
): { readonly span: Span; readonly coverage: number } | undefined {
  const best = maxBy(sentences, (sentence) => coverage(sentence) * (1 - Math.min(999, sentence.terms.size) / 1000));
  if (best === undefined || coverage(best) === 0) return undefined;
  const at = sentences.indexOf(best);
  const pairs = [sentences.slice(Math.max(0, at - 1), at + 1), sentences.slice(at, at + 2)].flatMap(
    ([first, second]) =>
      first === undefined || second === undefined
        ? []
        : [{ start: first.start, end: second.end, terms: first.terms.union(second.terms) }],
  );
  const pair = maxBy(pairs, coverage);
  const chosen = pair !== undefined && coverage(pair) - coverage(best) >= MIN_GAIN_OF_SECOND ? pair : best;
  return { span: { start: chosen.start, end: chosen.end }, coverage: coverage(chosen) };
}

/** IDF weights; numbers count double, terms that occur in the question only merely break ties. */
function weighTerms(
  sentences: readonly Candidate[],
  statement: ReadonlySet<string>,
  question: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const term of statement.union(question)) {
    const count = sentences.filter(({ terms }) => terms.has(term)).length;
    // Terms of the question that no sentence contains cannot break a tie.
    if (count === 0 && !statement.has(term)) continue;
    const rarity = Math.log(1 + (sentences.length + 1) / (count + 0.5));
    weights.set(term, rarity * (/\d/.test(term) ? NUMBER_WEIGHT : 1) * (statement.has(term) ? 1 : QUESTION_WEIGHT));
  }
  return weights;
}

function* shared(terms: ReadonlySet<string>, weights: ReadonlyMap<string, number>): Generator<number> {
  for (const term of terms) yield weights.get(term) ?? 0;
}

/** Like `shared`, plus part of the weight for terms that share a prefix with a term of the sentence. */
function* sharedByPrefix(terms: ReadonlySet<string>, weights: ReadonlyMap<string, number>): Generator<number> {
  const prefixes = new Set([...terms].map(prefixOf));
  for (const [term, weight] of weights) {
    if (terms.has(term)) yield weight;
    else if (term.length >= MIN_PREFIX_LENGTH && prefixes.has(prefixOf(term))) yield PREFIX_MATCH_WEIGHT * weight;
  }
}

const prefixOf = (term: string): string => term.slice(0, MIN_PREFIX_LENGTH);

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** The first maximum. */
function maxBy<T>(items: readonly T[], value: (item: T) => number): T | undefined {
  let best: T | undefined;
  let max = Number.NEGATIVE_INFINITY;
  for (const item of items) {
    const score = value(item);
    if (score > max) [best, max] = [item, score];
  }
  return best;
}
