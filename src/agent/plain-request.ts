import type { Principal } from '../access/principal.ts';
import { visibleFilter } from '../access/visible-filter.ts';
import { defaultSearchSettings } from '../retrieval/search-settings.ts';
import type { AgentRequest } from './agent.ts';

/** Tokens of one tool result that a model reads, unless a request says otherwise (docs/contract.md 5.3). */
export const MAX_TOOL_CONTEXT = 32_768;

/** A question of this caller over everything they may see, as a new conversation. */
export const plainRequest = (principal: Principal, message: string): AgentRequest => ({
  principal,
  mode: 'rag',
  message,
  search: { ...defaultSearchSettings, filter: visibleFilter(principal) },
  generation: {},
  useSystemContext: true,
  maxToolContext: MAX_TOOL_CONTEXT,
  limits: {},
});
