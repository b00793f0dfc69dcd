import { ServiceError } from '../errors.ts';
import { collectReply, type ModelReply } from '../models/collect-reply.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { Message } from '../models/message.ts';
import type { Usage } from '../models/model.ts';
import { SUGGESTED_SETTINGS } from '../models/suggested-settings.ts';
import type { ToolContext } from './tool-context.ts';

/** Asks the reasoning model one question, without streaming; usage is counted on the run. */
export async function askReasoningModel(
  { reasoner, spend, signal }: ToolContext,
  messages: readonly Message[],
  config: GenerationConfig,
): Promise<ModelReply> {
  if (reasoner === undefined) {
    throw new ServiceError('not_configured', `No language model is configured. Set ${SUGGESTED_SETTINGS}.`);
  }
  const reply = await collectReply(reasoner, { messages, tools: [], config, signal });
  spend(reply.model, reply.usage);
  return { ...reply, text: reply.text.trim() };
}

/** Usage in the notation of results and replies. */
export const usageRecord = (usage: Usage) => ({
  input_tokens: usage.input,
  cached_input_tokens: usage.cachedInput,
  output_tokens: usage.output,
});
