import type { StopReason, Usage } from '../../models/model.ts';

/** How a generation ended. */
export interface Generated {
  readonly id: string;
  readonly model: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Seconds since 1970. */
  readonly created: number;
}

/** OpenAI's chat.completion object (docs/contract.md 5.4); `content` is null where the text is sent elsewhere. */
export function toCompletion(generated: Generated, content: string | null) {
  return {
    id: generated.id,
    choices: [
      {
        finish_reason: finishReason[generated.stopReason],
        index: 0,
        message: {
          role: 'assistant',
          content,
          refusal: null,
          function_call: null,
          tool_calls: null,
          structured_content: null,
        },
      },
    ],
    created: generated.created,
    model: generated.model,
    object: 'chat.completion',
    service_tier: null,
    system_fingerprint: null,
    usage: toUsage(generated.usage),
  };
}

const finishReason: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
};

/** Token usage in OpenAI's members. */
export const toUsage = ({ input, cachedInput, output, reasoning }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cachedInput },
  completion_tokens_details: { reasoning_tokens: reasoning },
});
