import type { Quote, Source } from '../../citations/citation.ts';
import { documentTypeOfSource } from '../../citations/document-type.ts';
import { type Quotable, quoteOf } from '../../citations/find-quote.ts';
import { quotableOf } from '../../citations/quotable-of.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import { pageLabel } from '../../documents/page-label.ts';
import { fromTextScore } from '../../store/full-text/text-score.ts';
import type { QuoteSupport } from '../model.ts';
import { chooseQuotes } from './choose-quotes.ts';
import type { TableCell } from './table-rows.ts';

/** A source with text, other than graph hits; for documents, a section that was read. */
export type QuotableSource = Exclude<Source, { readonly kind: 'graph' }>;

export interface NumberedSource {
  /** Number of its marker. */
  readonly number: number;
  readonly source: QuotableSource;
}

export interface QuotesRequest {
  readonly question: string;
  /** Best first within each kind. */
  readonly sources: readonly NumberedSource[];
  readonly analyser: TextAnalyser;
}

/** A part of the answer; one with `quoted` ends with a marker. */
export interface QuotesPiece {
  readonly text: string;
  readonly quoted?: NumberedSource & { readonly quote: Quote };
}

/** An answer made of quotations, and whether they answer the question. */
export interface ComposedQuotes {
  readonly support: QuoteSupport;
  readonly pieces: readonly QuotesPiece[];
}

/** Worded to fit both if no model is configured and if quotations are requested explicitly. */
const FOUND = 'Answered without a language model; these passages match your question best:';
const CLOSEST =
  'Answered without a language model; it is uncertain whether the documents answer this. The closest passages:';
const NOT_SUPPORTED = 'Answered without a language model; nothing found supports an answer to this question.';

/** Composes an answer from the best sentences, each with its marker, and an introduction that says it is extractive. */
export function composeQuotes({ question, sources, analyser }: QuotesRequest): ComposedQuotes {
  const texts = sources.map(({ source }, index) => ({
    text: textOf(source).text,
    about: aboutOf(source),
    rank: sources.slice(0, index).filter((before) => before.source.kind === source.kind).length,
    ...scoreOf(source),
  }));
  const { support, quotes } = chooseQuotes({ question, sources: texts, analyser });
  const pieces = quotes.flatMap(({ sourceIndex, start, end, cell }): QuotesPiece[] => {
    const found = sources[sourceIndex];
    if (found === undefined) return [];
    const { number, source } = found;
    const quote = quoteOf(textOf(source), { start, end });
    return [
      { text: `\n\n“${escaped(quote.text)}” [${number}]`, quoted: { number, source, quote } },
      { text: `\n— ${locationOf(source, quote)}${cell === undefined ? '' : `; ${escaped(described(cell))}`}` },
    ];
  });
  return { support, pieces: [{ text: INTRODUCTIONS[support] }, ...pieces] };
}

const INTRODUCTIONS: Readonly<Record<QuoteSupport, string>> = { answer: FOUND, closest: CLOSEST, none: NOT_SUPPORTED };

/** "Net sales, 2021: 412 (EUR million)". */
const described = ({ row, column, value, unit }: TableCell): string =>
  `${[row, column].filter((name) => name !== '').join(', ')}: ${value}${unit === undefined ? '' : ` ${unit}`}`;

function scoreOf(source: QuotableSource): { readonly score?: number } {
  const score = source.kind === 'chunk' ? source.chunk.fullText?.score : undefined;
  return score === undefined ? {} : { score: fromTextScore(score) };
}

const textOf = (source: QuotableSource): Quotable => quotableOf(source) ?? NO_TEXT;
const NO_TEXT: Quotable = { text: '', start: 0, page: null, headingPath: [] };

function titleOf(source: QuotableSource): string {
  if (source.kind === 'web') return source.page.title;
  if (source.kind === 'document') return source.document.title;
  const title = source.chunk.metadata['title'];
  return typeof title === 'string' ? title : '';
}

function aboutOf(source: QuotableSource): string {
  return [titleOf(source), ...(source.kind === 'chunk' ? source.chunk.headingPath : [])].join('\n');
}

/** Location of the quote for a reader; web sources are named as such. */
function locationOf(source: QuotableSource, { page }: Quote): string {
  const title = escaped(titleOf(source));
  if (source.kind === 'web') return `from the web: ${title || 'Untitled page'}, ${shortUrl(source.page.url)}`;
  return `${title || 'Untitled document'}${page === null ? '' : `, ${pageLabel(documentTypeOfSource(source), page)}`}`;
}

const shortUrl = (url: string): string => url.replaceAll('[', '%5B').replaceAll(']', '%5D');

/**
 * Puts the text on one line and inserts a word joiner into bracketed numbers, so that "1950.[12]" in a document is not
 * read as a marker of this answer. The citation's quote keeps the original text.
 */
const escaped = (text: string): string => text.replace(/\s+/g, ' ').replace(/\[(?=\d{1,3}\])/g, '[\u2060');
