import { z } from 'zod';
import { defined, optional } from './tolerant.ts';

type Value = string | number | boolean;

/** A member that may only have these values, which are equivalent to omitting it. */
const only = (values: [Value, ...Value[]], error: string) => optional(z.literal(values, { error }));

const none = (error: string) => optional(z.null({ error }));

const UNSTORED = 'expected false: nothing is stored here; leave it out';
const UNWEIGHED = 'log probabilities are not supported; leave it out';
const UNCHOSEN = 'expected none: which tools answer here is a setting of this service; leave it out';

const refused = {
  store: only([false], UNSTORED),
  service_tier: only(['auto', 'default'], 'expected "auto" or "default": the provider is a setting of this service'),
  moderation: none('expected none: no moderation is done here; leave it out'),
  stream_options: optional(
    z.looseObject({
      include_usage: optional(z.boolean()),
      include_obfuscation: only([false], 'expected false: streams are not padded here; leave it out'),
    }),
  ),
};

/** Unsupported members of Chat Completions that would change the answer; only values without effect are accepted. */
export const refusedChatMembers = {
  ...refused,
  logprobs: only([false], UNWEIGHED),
  top_logprobs: only([0], UNWEIGHED),
  modalities: optional(z.array(z.literal('text', { error: 'expected "text": audio output is not supported' }))),
  audio: none('expected none: audio output is not supported; leave it out'),
  prediction: none('expected none: answers come from the documents; leave it out'),
  verbosity: only(['medium'], 'expected "medium": ask for a short or a long answer in a message; leave it out'),
  web_search_options: none(UNCHOSEN),
  function_call: only(['auto', 'none'], 'expected "auto" or "none": send your functions as tools'),
};

/** The same for Responses. Clients that store conversations themselves request `reasoning.encrypted_content`. */
export const refusedResponseMembers = {
  ...refused,
  top_logprobs: only([0], UNWEIGHED),
  truncation: only(['disabled'], 'expected "disabled": a conversation is not shortened here; leave it out'),
  max_tool_calls: none('expected none: how many tools are called is limited by this service; leave it out'),
  context_management: optional(z.array(z.unknown()).max(0, { error: 'expected none: send the full context as input' })),
  image: none('expected none: image output is not supported; leave it out'),
  include: optional(
    z.array(
      z.literal('reasoning.encrypted_content', {
        error: 'only "reasoning.encrypted_content" is accepted, and it has no effect; leave it out',
      }),
    ),
  ),
};

export const verbosityOfText = refusedChatMembers.verbosity;

const penalty = optional(z.number().min(-2).max(2));

/** Members of Chat Completions that are passed on to the language model. */
export const passThroughFields = {
  seed: optional(z.int()),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  logit_bias: optional(z.record(z.string(), z.number().min(-100).max(100))),
};

/** Members for the language model, whose provider refuses unsupported ones; values without effect are left out. */
export function passThroughMembers(wire: z.output<z.ZodObject<typeof passThroughFields>>) {
  const { seed, frequency_penalty, presence_penalty, logit_bias: bias = {} } = wire;
  const extra = defined({
    seed,
    frequency_penalty: frequency_penalty || undefined,
    presence_penalty: presence_penalty || undefined,
    logit_bias: Object.keys(bias).length > 0 ? bias : undefined,
  });
  return Object.keys(extra).length > 0 ? extra : undefined;
}
