import type { CheckedCitation } from '../citations/check-citation.ts';
import type { Source, Span } from '../citations/citation.ts';
import type { ToolCall } from '../models/message.ts';
import type { QuoteSupport } from '../models/model.ts';
import type { BudgetReason, Spend } from './budget.ts';

export type AgentMode = 'rag' | 'research';

/** Why a run ended: `end` by itself, `length` and `refusal` by the model, the others by a limit of the request. */
export type RunEnd = 'end' | 'length' | 'refusal' | BudgetReason;

export interface AgentAnswer {
  readonly text: string;
  /** In order of first appearance. */
  readonly citations: readonly CheckedCitation[];
  /** Everything the tools brought, by number. */
  readonly sources: readonly Source[];
  /** Sentences that state something and carry no marker whose source supports it. */
  readonly unsupported: readonly Span[];
  /** Markers that pointed to nothing and were taken out. */
  readonly removedMarkers: number;
  readonly conversationId: string;
  readonly ended: RunEnd;
  readonly mode: AgentMode;
  readonly model: string;
  readonly isExtractive: boolean;
  /** Of an extractive answer: `closest` when the quotes are the nearest passages and may not answer. */
  readonly support?: QuoteSupport;
  readonly toolCalls: readonly ToolCall[];
  readonly spent: Spend;
}

/** What happens while an agent runs, docs/contract.md 5.5. Closed: a new kind makes the compiler point at every reader. */
export type AgentEvent =
  | { readonly type: 'thinking' | 'message'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }
  | {
      readonly type: 'tool_result';
      readonly callId: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
      readonly spent: Spend;
    }
  /** Right after the message that completed the marker; `isNew` on the source's first mention. */
  | { readonly type: 'citation'; readonly citation: CheckedCitation; readonly isNew: boolean; readonly span: Span }
  | { readonly type: 'final_answer'; readonly answer: AgentAnswer };
