import { CitationCollector } from '../citations/citation-collector.ts';
import { quoteOf } from '../citations/find-quote.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { ScoredChunk } from '../documents/chunk.ts';
import { chooseQuotes } from '../models/extractive/choose-quotes.ts';
import type { SearchOutcome } from '../retrieval/retriever.ts';
import type { RagEvent } from './rag-event.ts';

export interface Quotation {
  readonly query: string;
  readonly outcome: SearchOutcome;
  /** Name of the model that stands in for a language model. */
  readonly model: string;
  readonly analyser: TextAnalyser;
}

const FOUND = 'No language model is configured; these passages match your question best:';
const NOT_SUPPORTED = 'No language model is configured, and nothing found supports an answer to this question.';

/** An answer put together of the best sentences found, each with its marker, and never without saying what it is. */
export function* quoteAnswer({ query, outcome, model, analyser }: Quotation): Generator<RagEvent, void> {
  const { chunks } = outcome;
  const passages = chunks.map((chunk) => ({ text: chunk.text, about: aboutOf(chunk) }));
  const chosen = chooseQuotes({ question: query, passages, analyser });
  const citations = new CitationCollector();
  let text = '';
  const say = (piece: string): RagEvent => {
    text += piece;
    return { type: 'message', text: piece };
  };

  yield say(chosen.length > 0 ? FOUND : NOT_SUPPORTED);
  for (const { passage, start, end } of chosen) {
    const chunk = chunks[passage];
    if (chunk === undefined) continue;
    const number = passage + 1;
    const quote = quoteOf(chunk, { start, end });
    yield say(`\n\n“${shown(quote.text)}” [${number}]`);
    const span = { start: text.length - `[${number}]`.length, end: text.length };
    yield { type: 'citation', span, ...citations.add({ number, source: { kind: 'chunk', chunk }, span, quote }) };
    yield say(`\n— ${whereOf(chunk)}`);
  }
  yield {
    type: 'final_answer',
    answer: {
      text,
      citations: citations.citations,
      search: outcome,
      model,
      mode: 'extractive',
      stopReason: 'end',
      usage: { input: 0, cachedInput: 0, output: 0, reasoning: 0 },
      removedMarkers: 0,
    },
  };
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
