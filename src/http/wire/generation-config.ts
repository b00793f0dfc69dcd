import { z } from 'zod';
import { type GenerationConfig, RESERVED_MEMBERS } from '../../models/generation-config.ts';
import { defined, numeric, optional, snakeCased } from './tolerant.ts';

export interface Generation {
  readonly stream: boolean;
  readonly config: GenerationConfig;
}

const furtherMembers = z.record(z.string(), z.json()).superRefine((members, context) => {
  for (const name of Object.keys(members).filter((each) => RESERVED_MEMBERS.includes(each))) {
    const message = `${name} is set by the request itself and cannot be given here`;
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

/**
 * docs/contract.md 4.3. camelCase is accepted because r2r-js converts the configuration for RAG but not for completion.
 * `max_tokens` has two names (docs/contract.md D10); R2R's own takes precedence.
 */
export const generationConfig = snakeCased(
  z.object({
    model: optional(z.string()).describe('<provider>/<name>; the configured one if absent.'),
    temperature: optional(numeric(z.number().min(0).max(2))),
    top_p: optional(numeric(z.number().min(0).max(1))),
    max_tokens: optional(numeric(z.number().int().min(1))),
    max_tokens_to_sample: optional(numeric(z.number().int().min(1))).describe(
      'The same as max_tokens; takes precedence over it.',
    ),
    stream: optional(z.boolean()).describe('Answer as server-sent events.'),
    extended_thinking: optional(z.boolean()),
    thinking_budget: optional(numeric(z.number().int().min(1))),
    reasoning_effort: optional(z.enum(['low', 'medium', 'high'])),
    response_format: optional(z.record(z.string(), z.json())),
    add_generation_kwargs: optional(furtherMembers).describe(
      'Additional fields for the provider, such as seed or stop; passed on unchanged.',
    ),
  }),
)
  .meta({ id: 'GenerationConfig' })
  .transform(
    (wire): Generation => ({
      stream: wire.stream ?? false,
      config: defined({
        model: wire.model === '' ? undefined : wire.model,
        temperature: wire.temperature,
        topP: wire.top_p,
        maxTokens: wire.max_tokens_to_sample ?? wire.max_tokens,
        extendedThinking: wire.extended_thinking,
        thinkingBudget: wire.thinking_budget,
        reasoningEffort: wire.reasoning_effort,
        responseFormat: wire.response_format,
        extra: wire.add_generation_kwargs,
      }),
    }),
  );

/** The generation settings of a request without `generation_config`. */
export const defaultGeneration: Generation = { stream: false, config: {} };
