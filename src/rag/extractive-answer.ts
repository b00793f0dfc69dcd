import { CitationCollector } from '../citations/citation-collector.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import { composeQuotes, type QuotableSource } from '../models/extractive/compose-quotes.ts';
import { noUsage } from '../models/model.ts';
import type { SearchOutcome } from '../retrieval/retriever.ts';
import { toWebPassage } from '../toolbox/web-passage.ts';
import type { WebSearchOutcome } from '../web/web-search.ts';
import type { RagEvent } from './rag-event.ts';

export interface ExtractiveAnswerRequest {
  readonly query: string;
  readonly outcome: SearchOutcome;
  /** Web results, numbered after the chunks. */
  readonly web?: WebSearchOutcome;
  /** Reported model name. */
  readonly model: string;
  readonly analyser: TextAnalyser;
}

/** Extractive answer without a language model, as the same events as a generated one. */
export function* extractiveAnswer({
  query,
  outcome,
  web,
  model,
  analyser,
}: ExtractiveAnswerRequest): Generator<RagEvent, void> {
  const sources: QuotableSource[] = [
    ...outcome.chunks.map((chunk) => ({ kind: 'chunk' as const, chunk })),
    ...(web?.results ?? []).map((result) => ({ kind: 'web' as const, page: toWebPassage(result) })),
  ];
  const numbered = sources.map((source, index) => ({ number: index + 1, source }));
  const citations = new CitationCollector();
  let text = '';
  const { support, pieces } = composeQuotes({ question: query, sources: numbered, analyser });
  for (const piece of pieces) {
    text += piece.text;
    yield { type: 'message', text: piece.text };
    if (piece.quoted === undefined) continue;
    const { number, source, quote } = piece.quoted;
    const span = { start: text.length - `[${number}]`.length, end: text.length };
    yield { type: 'citation', span, ...citations.add({ number, source, span, quote }) };
  }
  yield {
    type: 'final_answer',
    answer: {
      text,
      citations: citations.citations,
      search: outcome,
      ...(web !== undefined && { web }),
      model,
      mode: 'extractive',
      support,
      stopReason: 'end',
      usage: noUsage,
      removedMarkers: 0,
    },
  };
}
