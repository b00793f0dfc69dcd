import type { CitedAnswer } from './from-wire.ts';
import type { SearchQuery } from './search-query.ts';

export type AskEvent =
  | { readonly type: 'thinking' | 'text'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: CitedAnswer };

export interface AskQuery extends Omit<SearchQuery, 'offset' | 'explain'> {
  readonly model?: string;
}

export interface AgentQuery extends AskQuery {
  /** `research` plans, asks sub-questions and reviews its draft. */
  readonly agentMode: 'rag' | 'research';
  /** Undefined starts a new conversation. */
  readonly conversationId?: string;
  /** Whether to show the model's thinking. */
  readonly thinking: boolean;
  readonly budget: {
    readonly steps?: number;
    readonly tokens?: number;
    readonly seconds?: number;
    readonly dollars?: number;
  };
}

/** An event of an agent run as sent over HTTP, docs/contract.md 5.5. */
export interface AgentClientEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A message of a conversation, oldest first. */
export interface ConversationMessage {
  readonly role: string;
  readonly content: string;
}
