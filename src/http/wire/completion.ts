import { z } from 'zod';
import type { StopReason, Usage } from '../../models/model.ts';
import { results } from './record-parts.ts';

export const tokenUsage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
    completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
  })
  .meta({ id: 'TokenUsage' });

export const completionMembers = {
  id: z.string(),
  choices: z.array(
    z.object({
      finish_reason: z.string(),
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        function_call: z.null(),
        tool_calls: z.null(),
        structured_content: z.null(),
      }),
    }),
  ),
  created: z.int(),
  model: z.string(),
  object: z.literal('chat.completion'),
  service_tier: z.null(),
  system_fingerprint: z.null(),
  usage: tokenUsage,
};

export const support = z
  .enum(['answer', 'closest', 'none'])
  .exactOptional()
  .describe('Of an extractive answer: `closest` when the quotes are the nearest passages and may not answer.');

/** docs/contract.md 5.4. */
export const completion = results(z.object(completionMembers).meta({ id: 'Completion' }));

/** The result of a generation, without its text. */
export interface Generated {
  readonly id: string;
  readonly model: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Seconds since 1970. */
  readonly created: number;
}

/** OpenAI's chat.completion object (docs/contract.md 5.4); `content` is null if another member holds the text. */
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

/** Token usage in OpenAI's format. */
export const toUsage = ({ input, cachedInput, output, reasoning }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cachedInput },
  completion_tokens_details: { reasoning_tokens: reasoning },
});
