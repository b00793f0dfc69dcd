import { collectReply } from '../../models/collect-reply.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Model, StopReason } from '../../models/model.ts';

/** A model's complete reply to one request. Throws the model's errors. */
export async function writeText(
  model: Model,
  prompt: string,
  config: GenerationConfig,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly reason: StopReason }> {
  const messages = [{ role: 'user', text: prompt }] as const;
  const { text, reason } = await collectReply(model, { messages, tools: [], config, signal });
  return { text: text.trim(), reason };
}
