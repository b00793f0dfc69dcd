import type { StopReason } from './model.ts';

/** What stands in place of an answer when a model ended without writing one. */
export const WITHOUT_ANSWER: Readonly<Record<StopReason, string>> = {
  end: 'The model ended without an answer.',
  tool_calls: 'The model called a tool instead of answering.',
  length: 'The model reached its output limit before it wrote an answer. Raise max_tokens.',
  refusal: 'The model declined to answer.',
};
