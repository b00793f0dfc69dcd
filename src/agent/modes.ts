import type { ModelSlot } from '../models/model.ts';
import type { AgentMode } from './agent-event.ts';
import type { BudgetLimits } from './budget.ts';

interface ModeTraits {
  readonly slot: ModelSlot;
  /** Steps when the request sets none; the last one answers without tools. */
  readonly steps: number;
  /** Tools when the request names none. */
  readonly tools: readonly string[];
  /** Draws up a plan before the first step, and reviews the draft before it answers. */
  readonly isDeliberate: boolean;
}

/** What the two modes of docs/contract.md 5, 5.3 differ in. */
export const modes: Readonly<Record<AgentMode, ModeTraits>> = {
  rag: {
    slot: 'quality',
    steps: 10,
    tools: ['search_file_descriptions', 'search_file_knowledge', 'content', 'get_file_content'],
    isDeliberate: false,
  },
  research: {
    slot: 'reasoning',
    steps: 10,
    tools: ['rag', 'reasoning', 'critique', 'python_executor'],
    isDeliberate: true,
  },
};

/** The request's limits over the mode's. */
export const budgetLimits = (mode: AgentMode, asked: Partial<BudgetLimits>): BudgetLimits => ({
  ...asked,
  steps: asked.steps ?? modes[mode].steps,
});
