import type { ModelSlot } from '../models/model.ts';
import type { AgentMode } from './agent-event.ts';
import type { BudgetLimits } from './budget.ts';

interface ModeTraits {
  readonly slot: ModelSlot;
  /** Default number of steps; the last one must answer without tools. */
  readonly steps: number;
  /** Default tools. */
  readonly tools: readonly string[];
  /** Whether to plan before the first step and to review the draft. */
  readonly plansAndReviews: boolean;
}

/** Differences between the two modes, docs/contract.md 5, 5.3. */
export const modes: Readonly<Record<AgentMode, ModeTraits>> = {
  rag: {
    slot: 'quality',
    steps: 10,
    tools: ['search_file_descriptions', 'search_file_knowledge', 'content', 'get_file_content'],
    plansAndReviews: false,
  },
  research: {
    slot: 'reasoning',
    steps: 10,
    tools: ['rag', 'reasoning', 'critique', 'python_executor'],
    plansAndReviews: true,
  },
};

/** Limits of the request, completed by defaults of the mode. */
export const budgetLimits = (mode: AgentMode, requested: Partial<BudgetLimits>): BudgetLimits => ({
  ...requested,
  steps: requested.steps ?? modes[mode].steps,
});
