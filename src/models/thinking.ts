import type { GenerationConfig } from './generation-config.ts';

/**
 * Tokens added to the answer's limit for models that think unasked and count it as output: a limit of 1,024 would
 * often be used up before the first word of the answer.
 */
export const THINKING_HEADROOM = 4096;

/** For providers that take an effort and no budget. Low unless asked for more: an answer from passages needs little. */
export function effortFor(config: GenerationConfig): 'low' | 'medium' | 'high' {
  if (config.reasoningEffort !== undefined) return config.reasoningEffort;
  if (!config.extendedThinking) return 'low';
  const budget = config.thinkingBudget ?? 8192;
  if (budget < 4096) return 'low';
  return budget < 16_384 ? 'medium' : 'high';
}

/** True when the caller asked the model to think, so that long silences are to be expected. */
export const asksToThink = ({ extendedThinking, reasoningEffort }: GenerationConfig): boolean =>
  extendedThinking === true || reasoningEffort === 'medium' || reasoningEffort === 'high';
