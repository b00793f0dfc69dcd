import type { CheckedCitation } from '../citations/check-citation.ts';
import type { Source, Span } from '../citations/citation.ts';
import type { ToolCall } from '../models/message.ts';
import type { QuoteSupport } from '../models/model.ts';
import type { OutputFile } from '../toolbox/tool.ts';
import type { BudgetReason, Spend } from './budget.ts';

export type AgentMode = 'rag' | 'research';

/** Why a run ended: `end` if it completed; `length` and `refusal` come from the model; the others are limits. */
export type RunEnd = 'end' | 'length' | 'refusal' | BudgetReason;

export interface AgentAnswer {
  readonly text: string;
  /** In order of first appearance. */
  readonly citations: readonly CheckedCitation[];
  /** All sources the tools returned, in the order of their numbers. */
  readonly sources: readonly Source[];
  /** Factual sentences without a marker whose source supports them. */
  readonly unsupported: readonly Span[];
  /** Number of markers that referred to no source and were removed from the text. */
  readonly removedMarkers: number;
  readonly conversationId: string;
  readonly ended: RunEnd;
  readonly mode: AgentMode;
  readonly model: string;
  readonly isExtractive: boolean;
  /** Extractive answers only: `closest` if the quotes are the nearest passages and may not answer the question. */
  readonly support?: QuoteSupport;
  readonly toolCalls: readonly ToolCall[];
  /** Calls of the caller's functions, which ended the run; `text` is then the text that preceded them. */
  readonly clientCalls: readonly ToolCall[];
  readonly spent: Spend;
}

/** Events of an agent run, docs/contract.md 5.5. A closed union: the compiler reports readers that miss a new kind. */
export type AgentEvent =
  | { readonly type: 'thinking' | 'message'; readonly text: string }
  /** The model's provider asked to wait, and is asked again after that time. */
  | { readonly type: 'waiting'; readonly seconds: number }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | {
      readonly type: 'tool_result';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
      readonly spent: Spend;
      /** Files produced by the call; they are retained for a limited time. */
      readonly files?: readonly Omit<OutputFile, 'bytes'>[];
    }
  /** Emitted right after the message that completes the marker; `isNew` is true for the first mention of its source. */
  | { readonly type: 'citation'; readonly citation: CheckedCitation; readonly isNew: boolean; readonly span: Span }
  | { readonly type: 'final_answer'; readonly answer: AgentAnswer };
