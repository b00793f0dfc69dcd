import type { GenerationConfig } from './generation-config.ts';

/**
 * Tokens added to the output limit of models that think by default and count it as output. Without it, a limit of 1,024
 * would often be used up before the answer starts.
 */
export const THINKING_HEADROOM = 4096;

/** Effort for providers without a thinking budget. Defaults to low, because answering from passages needs little. */
export function effortFor(config: GenerationConfig): 'low' | 'medium' | 'high' {
  if (config.reasoningEffort !== undefined) return config.reasoningEffort;
  if (!config.extendedThinking) return 'low';
  const budget = config.thinkingBudget ?? 8192;
  if (budget < 4096) return 'low';
  return budget < 16_384 ? 'medium' : 'high';
}

/** Whether the caller requested thinking; such calls may be silent for long. */
export const requestsThinking = ({ extendedThinking, reasoningEffort }: GenerationConfig): boolean =>
  extendedThinking === true || reasoningEffort === 'medium' || reasoningEffort === 'high';
