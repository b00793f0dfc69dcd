import type OpenAI from 'openai';
import { callProvider } from '../call-provider.ts';
import type { Model } from '../model.ts';
import type { RejectedParameters } from '../rejected-parameters.ts';
import type { TimeLimits } from '../watch-stream.ts';
import { fromOpenAiEvents } from './from-openai-events.ts';
import { fromResponsesEvents } from './from-responses-events.ts';
import type { OpenAiProvider } from './openai-provider.ts';
import { toOpenAiRequest } from './to-openai-request.ts';
import { toResponsesRequest } from './to-responses-request.ts';

export interface OpenAiModelParts {
  readonly provider: OpenAiProvider;
  readonly client: () => Promise<OpenAI>;
  readonly limits: TimeLimits;
  /** Shared by all models of the provider. */
  readonly rejected: RejectedParameters;
}

/**
 * An OpenAI model, or one of a server with a compatible Chat Completions API. OpenAI itself is called through the
 * Responses API, where alone newer models support tool calls together with reasoning summaries.
 */
export function openAiModel(name: string, parts: OpenAiModelParts): Model {
  return parts.provider.isOpenAi ? responsesModel(name, parts) : chatModel(name, parts);
}

function chatModel(name: string, { provider, client, limits, rejected }: OpenAiModelParts): Model {
  const qualified = `${provider.name}/${name}`;
  return {
    name: qualified,
    stream: (request) =>
      callProvider(request, {
        provider,
        model: name,
        limits,
        rejected,
        toBody: () => toOpenAiRequest(name, request),
        open: async (body, { fetch, signal }) =>
          (await client()).withOptions({ fetch }).chat.completions.create(body, { signal }),
        read: (events) => fromOpenAiEvents(events, qualified),
      }),
  };
}

function responsesModel(name: string, { provider, client, limits, rejected }: OpenAiModelParts): Model {
  const qualified = `${provider.name}/${name}`;
  return {
    name: qualified,
    stream: (request) =>
      callProvider(request, {
        provider,
        model: name,
        limits,
        rejected,
        toBody: () => toResponsesRequest(name, request),
        open: async (body, { fetch, signal }) =>
          (await client()).withOptions({ fetch }).responses.create(body, { signal }),
        read: (events) => fromResponsesEvents(events, qualified),
      }),
  };
}
