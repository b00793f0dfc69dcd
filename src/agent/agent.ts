import type { Principal } from '../access/principal.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { SearchSettings } from '../retrieval/search-settings.ts';
import type { AgentEvent, AgentMode } from './agent-event.ts';
import type { BudgetLimits } from './budget.ts';

export interface EarlierMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

/** A turn of a conversation, docs/contract.md 5.3. */
export interface AgentRequest {
  readonly principal: Principal;
  readonly mode: AgentMode;
  readonly message: string;
  /** Undefined makes a new conversation; an unknown or foreign one is `not_found`. */
  readonly conversationId?: string;
  /** The conversation so far of a caller that keeps it itself: nothing of this turn is stored then. */
  readonly earlier?: readonly EarlierMessage[];
  /** What was said before this message and is not stored yet: it is read, and kept in the conversation. */
  readonly preceding?: readonly EarlierMessage[];
  /** Its filter already holds the caller's access. */
  readonly search: SearchSettings;
  readonly generation: GenerationConfig;
  /** Undefined means the mode's own. */
  readonly tools?: readonly string[];
  /** Replaces the system prompt. */
  readonly taskPrompt?: string;
  /** Whether the system prompt lists the newest documents. */
  readonly useSystemContext: boolean;
  /** Tokens of one tool result that the model gets to read. */
  readonly maxToolContext: number;
  /** Whether to name the conversation after this turn; undefined names it when it has no name. */
  readonly name?: boolean;
  readonly limits: Partial<BudgetLimits>;
}

export interface PreparedRun {
  readonly conversationId: string;
  /** Runs once, while it is read. The turn is stored when it ends, also when it is left early. */
  events(signal: AbortSignal): AsyncGenerator<AgentEvent, void>;
}

/** The agent runtime. */
export interface Agent {
  /** Checks everything that can be checked before the first event. Throws ServiceError. */
  prepare(request: AgentRequest): Promise<PreparedRun>;
}
