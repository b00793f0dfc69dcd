import type { Citation, Span } from '../citations/citation.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { ToolCall } from '../models/message.ts';
import type { QuoteSupport, StopReason, Usage } from '../models/model.ts';
import type { SearchOutcome } from '../retrieval/retriever.ts';
import type { SearchSettings } from '../retrieval/search-settings.ts';
import type { EarlierTurn } from '../retrieval/standalone-query.ts';
import type { ClientTools } from '../toolbox/client-tools.ts';
import type { WebSearchOutcome } from '../web/web-search.ts';

export interface RagRequest {
  readonly query: string;
  /** Earlier turns that the question may refer to. */
  readonly earlier?: readonly EarlierTurn[];
  readonly search: SearchSettings;
  readonly generation: GenerationConfig;
  /** Replaces the user prompt; `{query}` and `{context}` are filled in (docs/contract.md 5.2). */
  readonly taskPrompt?: string;
  readonly includeTitle: boolean;
  /** Functions of the caller. The answer may be calls to them; the caller sends their results in a new request. */
  readonly clientTools?: ClientTools;
  /** Adds the results of one web search to the context; a failed search adds nothing. */
  readonly includeWebSearch?: boolean;
}

export interface RagAnswer {
  readonly text: string;
  /** In order of first appearance. */
  readonly citations: readonly Citation[];
  readonly search: SearchOutcome;
  /** Results of the web search, if one was requested and succeeded. */
  readonly web?: WebSearchOutcome;
  readonly model: string;
  /** `extractive` when no language model wrote the answer. */
  readonly mode: 'generative' | 'extractive';
  /** Extractive answers only: `closest` if the quotes are the nearest passages and may not answer the question. */
  readonly support?: QuoteSupport;
  readonly stopReason: StopReason;
  /** Calls of the caller's functions; `text` is then the text that preceded them. */
  readonly clientCalls?: readonly ToolCall[];
  readonly usage: Usage;
  /** Number of markers that referred to no source and were removed from the text. */
  readonly removedMarkers?: number;
}

/** Events of one answer, in this order: search_results, the others, final_answer. */
export type RagEvent =
  | { readonly type: 'search_results'; readonly outcome: SearchOutcome; readonly web?: WebSearchOutcome }
  | { readonly type: 'thinking' | 'message'; readonly text: string }
  /** The model's provider asked to wait, and is asked again after that time. */
  | { readonly type: 'waiting'; readonly seconds: number }
  /** Emitted right after the message that completes the marker; `isNew` is true for the first mention of its source. */
  | { readonly type: 'citation'; readonly citation: Citation; readonly isNew: boolean; readonly span: Span }
  | { readonly type: 'final_answer'; readonly answer: RagAnswer };

/** Answers a question from the corpus. Throws ServiceError, also after the first event. */
export interface Answerer {
  answer(request: RagRequest, signal: AbortSignal): AsyncGenerator<RagEvent, void>;
}
