import type { Quote, Source } from '../../citations/citation.ts';
import { type Quotable, quoteOf } from '../../citations/find-quote.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { chooseQuotes } from './choose-quotes.ts';

/** A source with a text of its own. */
export type QuotableSource = Extract<Source, { readonly kind: 'chunk' | 'web' }>;

export interface NumberedSource {
  /** By which it is cited. */
  readonly number: number;
  readonly source: QuotableSource;
}

export interface QuotesRequest {
  readonly question: string;
  /** Best first among those of a kind. */
  readonly passages: readonly NumberedSource[];
  readonly analyser: TextAnalyser;
}

/** A piece of the answer; one with a `quoted` ends with its marker. */
export interface QuotesPiece {
  readonly text: string;
  readonly quoted?: NumberedSource & { readonly quote: Quote };
}

const FOUND = 'No language model is configured; these passages match your question best:';
const NOT_SUPPORTED = 'No language model is configured, and nothing found supports an answer to this question.';

/** An answer put together of the best sentences found, each with its marker, and never without saying what it is. */
export function* composeQuotes({ question, passages, analyser }: QuotesRequest): Generator<QuotesPiece, void> {
  const texts = passages.map(({ source }, index) => ({
    text: quotableOf(source).text,
    about: aboutOf(source),
    rank: passages.slice(0, index).filter((before) => before.source.kind === source.kind).length,
  }));
  const chosen = chooseQuotes({ question, passages: texts, analyser });
  yield { text: chosen.length > 0 ? FOUND : NOT_SUPPORTED };
  for (const { passage, start, end } of chosen) {
    const found = passages[passage];
    if (found === undefined) continue;
    const { number, source } = found;
    const quote = quoteOf(quotableOf(source), { start, end });
    yield { text: `\n\n“${shown(quote.text)}” [${number}]`, quoted: { number, source, quote } };
    yield { text: `\n— ${whereOf(source)}` };
  }
}

function quotableOf(source: QuotableSource): Quotable {
  if (source.kind === 'chunk') return source.chunk;
  return { text: source.page.text, start: source.page.start, page: null, headingPath: [] };
}

function titleOf(source: QuotableSource): string {
  if (source.kind === 'web') return source.page.title;
  const title = source.chunk.metadata['title'];
  return typeof title === 'string' ? title : '';
}

function aboutOf(source: QuotableSource): string {
  return [titleOf(source), ...(source.kind === 'chunk' ? source.chunk.headingPath : [])].join('\n');
}

/** Where a reader finds it; what is not theirs says so. */
function whereOf(source: QuotableSource): string {
  const title = shown(titleOf(source));
  if (source.kind === 'web') return `from the web: ${title || 'Untitled page'}, ${shownAddress(source.page.url)}`;
  const { page } = source.chunk;
  return `${title || 'Untitled document'}${page === null ? '' : `, page ${page}`}`;
}

const shownAddress = (url: string): string => url.replaceAll('[', '%5B').replaceAll(']', '%5D');

/**
 * On one line, and with a word joiner in bracketed numbers: "1950.[12]" in a document is not a marker of this answer. The
 * citation's quote holds the passage as it is.
 */
const shown = (text: string): string => text.replace(/\s+/g, ' ').replace(/\[(?=\d{1,3}\])/g, '[\u2060');
