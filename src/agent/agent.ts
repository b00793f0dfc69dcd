import type { Principal } from '../access/principal.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { SearchSettings } from '../retrieval/search-settings.ts';
import type { ClientTools } from '../toolbox/client-tools.ts';
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
  /** Omitted: a new conversation is created. Throws `not_found` when it is unknown or belongs to someone else. */
  readonly conversationId?: string;
  /** Conversation history kept by the caller; with it, nothing of this turn is stored. */
  readonly earlier?: readonly EarlierMessage[];
  /** Messages before this one that are not stored yet; they are read and added to the conversation. */
  readonly precedingMessages?: readonly EarlierMessage[];
  /** The filter already includes the caller's access rights. */
  readonly search: SearchSettings;
  readonly generation: GenerationConfig;
  /** Omitted: the default tools of the mode. */
  readonly tools?: readonly string[];
  /** Functions of the caller. A call to one ends the run; the caller sends its result in a new request. */
  readonly clientTools?: ClientTools;
  /** Replaces the system prompt. */
  readonly taskPrompt?: string;
  /** Whether the system prompt lists the newest documents. */
  readonly useSystemContext: boolean;
  /** Maximum tokens of one tool result that are passed to the model. */
  readonly maxToolContext: number;
  /** Whether to name the conversation after this turn; by default only unnamed conversations are named. */
  readonly name?: boolean;
  readonly limits: Partial<BudgetLimits>;
}

export interface PreparedRun {
  readonly conversationId: string;
  /** Can be iterated once; iteration drives the run. The turn is stored when it ends, even if iteration stops early. */
  events(signal: AbortSignal): AsyncGenerator<AgentEvent, void>;
}

export interface Agent {
  /** Validates the whole request before the first event. Throws ServiceError. */
  prepare(request: AgentRequest): Promise<PreparedRun>;
}
