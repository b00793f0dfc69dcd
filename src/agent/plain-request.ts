import type { Principal } from '../access/principal.ts';
import { defaultSearchSettings } from '../retrieval/search-settings.ts';
import { visibleTo } from '../retrieval/visible-to.ts';
import type { AgentRequest } from './agent.ts';

/** Default maximum tokens of one tool result that are passed to the model (docs/contract.md 5.3). */
export const MAX_TOOL_CONTEXT = 32_768;

/** A request with default settings: RAG mode, over everything the caller may see, in a new conversation. */
export const plainRequest = (principal: Principal, message: string): AgentRequest => ({
  principal,
  mode: 'rag',
  message,
  search: visibleTo(principal, defaultSearchSettings),
  generation: {},
  useSystemContext: true,
  maxToolContext: MAX_TOOL_CONTEXT,
  limits: {},
});
