import type { Json } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import type { AgentQuery } from './questions.ts';
import type { SearchMode } from './search-query.ts';

/** Parsed options of `ask --agent` and `chat`. */
export interface AgentOptions {
  readonly limit: number;
  readonly filter?: { readonly [key: string]: Json };
  readonly asOf?: string;
  readonly mode?: SearchMode;
  readonly model?: string;
  readonly research?: boolean;
  readonly thinking?: boolean;
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly maxSeconds?: number;
  readonly maxCost?: number;
  readonly json?: boolean;
}

export function toAgentQuery(question: string, options: AgentOptions): AgentQuery {
  const { maxSteps: steps, maxTokens: tokens, maxSeconds: seconds, maxCost: dollars } = options;
  return {
    query: question,
    limit: options.limit,
    filters: options.filter ?? {},
    ...(options.asOf !== undefined && { asOf: options.asOf }),
    agentMode: options.research ? 'research' : 'rag',
    thinking: options.thinking === true,
    budget: {
      ...(steps !== undefined && { steps }),
      ...(tokens !== undefined && { tokens }),
      ...(seconds !== undefined && { seconds }),
      ...(dollars !== undefined && { dollars }),
    },
    ...(options.mode && { mode: options.mode }),
    ...(options.model && { model: options.model }),
  };
}

/** Refuses options that would otherwise be ignored silently. */
export function refuseAgentOptions({ thinking, maxSteps, maxTokens, maxSeconds, maxCost }: AgentOptions): void {
  const given = {
    '--thinking': thinking,
    '--max-steps': maxSteps,
    '--max-tokens': maxTokens,
    '--max-seconds': maxSeconds,
    '--max-cost': maxCost,
  };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  throw new ServiceError('invalid_request', `${names.join(' and ')} can be used only with --agent or --research.`);
}
