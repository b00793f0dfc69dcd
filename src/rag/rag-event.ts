import type { Citation, Span } from '../citations/citation.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { QuoteSupport, StopReason, Usage } from '../models/model.ts';
import type { SearchOutcome } from '../retrieval/retriever.ts';
import type { SearchSettings } from '../retrieval/search-settings.ts';
import type { EarlierTurn } from '../retrieval/standalone-query.ts';
import type { WebSearchOutcome } from '../web/web-search.ts';

export interface RagRequest {
  readonly query: string;
  /** What was said before, which the question may lean on. */
  readonly earlier?: readonly EarlierTurn[];
  readonly search: SearchSettings;
  readonly generation: GenerationConfig;
  /** Replaces the user prompt; `{query}` and `{context}` are filled in (docs/contract.md 5.2). */
  readonly taskPrompt?: string;
  readonly includeTitle: boolean;
  /** Adds the results of one web search to what the answer is made from; a search that fails adds nothing. */
  readonly includeWebSearch?: boolean;
}

export interface RagAnswer {
  readonly text: string;
  /** In order of first appearance. */
  readonly citations: readonly Citation[];
  readonly search: SearchOutcome;
  /** What the web search found, where one was asked for and answered. */
  readonly web?: WebSearchOutcome;
  readonly model: string;
  /** `extractive` when no language model wrote the answer. */
  readonly mode: 'generative' | 'extractive';
  /** Of an extractive answer: `closest` when the quotes are the nearest passages and may not answer. */
  readonly support?: QuoteSupport;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Markers the model wrote that pointed to no source; they are not in `text`. */
  readonly removedMarkers?: number;
}

/** What happens while a question is answered, in this order: search_results, then the rest, final_answer last. */
export type RagEvent =
  | { readonly type: 'search_results'; readonly outcome: SearchOutcome; readonly web?: WebSearchOutcome }
  | { readonly type: 'thinking' | 'message'; readonly text: string }
  /** Right after the message that completed the marker; `isNew` on the source's first mention. */
  | { readonly type: 'citation'; readonly citation: Citation; readonly isNew: boolean; readonly span: Span }
  | { readonly type: 'final_answer'; readonly answer: RagAnswer };

/** Answers a question from the corpus. Throws ServiceError; a failure after the first event ends the stream by throwing. */
export interface Answerer {
  answer(request: RagRequest, signal: AbortSignal): AsyncGenerator<RagEvent, void>;
}
