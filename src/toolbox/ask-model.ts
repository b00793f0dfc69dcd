import { ServiceError } from '../errors.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { Message } from '../models/message.ts';
import type { StopReason, Usage } from '../models/model.ts';
import { SUGGESTED_SETTINGS } from '../models/suggested-settings.ts';
import type { ToolContext } from './tool-context.ts';

export interface ModelReply {
  readonly text: string;
  readonly reason: StopReason;
  readonly model: string;
  readonly usage: Usage;
}

/** Asks the reasoning model one question, without streaming; usage is counted on the run. */
export async function askReasoningModel(
  { reasoner, spend, signal }: ToolContext,
  messages: readonly Message[],
  config: GenerationConfig,
): Promise<ModelReply> {
  if (reasoner === undefined) {
    throw new ServiceError('not_configured', `No language model is configured. Set ${SUGGESTED_SETTINGS}.`);
  }
  let text = '';
  for await (const event of reasoner.stream({ messages, tools: [], config, signal })) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'stop') {
      spend(event.model, event.usage);
      return { text: text.trim(), reason: event.reason, model: event.model, usage: event.usage };
    }
  }
  throw new ServiceError('provider_failed', 'The stream of the reasoning model ended without a final event.');
}

/** Usage in the notation of results and replies. */
export const usageRecord = (usage: Usage) => ({
  input_tokens: usage.input,
  cached_input_tokens: usage.cachedInput,
  output_tokens: usage.output,
});
