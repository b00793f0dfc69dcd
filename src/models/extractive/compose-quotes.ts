import type { Quote } from '../../citations/citation.ts';
import { quoteOf } from '../../citations/find-quote.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import type { ScoredChunk } from '../../documents/chunk.ts';
import { chooseQuotes } from './choose-quotes.ts';

export interface QuotesRequest {
  readonly question: string;
  /** Best first, with the numbers they are cited by. */
  readonly passages: readonly { readonly number: number; readonly chunk: ScoredChunk }[];
  readonly analyser: TextAnalyser;
}

/** A piece of the answer; one with a `quoted` ends with its marker. */
export interface QuotesPiece {
  readonly text: string;
  readonly quoted?: { readonly number: number; readonly chunk: ScoredChunk; readonly quote: Quote };
}

const FOUND = 'No language model is configured; these passages match your question best:';
const NOT_SUPPORTED = 'No language model is configured, and nothing found supports an answer to this question.';

/** An answer put together of the best sentences found, each with its marker, and never without saying what it is. */
export function* composeQuotes({ question, passages, analyser }: QuotesRequest): Generator<QuotesPiece, void> {
  const texts = passages.map(({ chunk }) => ({ text: chunk.text, about: aboutOf(chunk) }));
  const chosen = chooseQuotes({ question, passages: texts, analyser });
  yield { text: chosen.length > 0 ? FOUND : NOT_SUPPORTED };
  for (const { passage, start, end } of chosen) {
    const found = passages[passage];
    if (found === undefined) continue;
    const { number, chunk } = found;
    const quote = quoteOf(chunk, { start, end });
    yield { text: `\n\n“${shown(quote.text)}” [${number}]`, quoted: { number, chunk, quote } };
    yield { text: `\n— ${whereOf(chunk)}` };
  }
}

const titleOf = ({ metadata }: ScoredChunk): string => (typeof metadata['title'] === 'string' ? metadata['title'] : '');

const aboutOf = (chunk: ScoredChunk): string => [titleOf(chunk), ...chunk.headingPath].join('\n');

function whereOf(chunk: ScoredChunk): string {
  const title = shown(titleOf(chunk)) || 'Untitled document';
  return chunk.page === null ? title : `${title}, page ${chunk.page}`;
}

/**
 * On one line, and with a word joiner in bracketed numbers: "1950.[12]" in a document is not a marker of this answer. The
 * citation's quote holds the passage as it is.
 */
const shown = (text: string): string => text.replace(/\s+/g, ' ').replace(/\[(?=\d{1,3}\])/g, '[\u2060');
