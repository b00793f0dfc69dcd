import type OpenAI from 'openai';
import { providerModel } from '../call-provider.ts';
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
 * Responses API, because newer models support tool calls together with reasoning summaries only there.
 */
export function openAiModel(name: string, parts: OpenAiModelParts): Model {
  return parts.provider.isOpenAi ? responsesModel(name, parts) : chatModel(name, parts);
}

const chatModel = (name: string, parts: OpenAiModelParts): Model =>
  providerModel(name, parts, {
    toBody: (request) => toOpenAiRequest(name, request),
    open: async (body, { fetch, signal }) =>
      (await parts.client()).withOptions({ fetch }).chat.completions.create(body, { signal }),
    read: fromOpenAiEvents,
  });

const responsesModel = (name: string, parts: OpenAiModelParts): Model =>
  providerModel(name, parts, {
    toBody: (request) => toResponsesRequest(name, request),
    open: async (body, { fetch, signal }) =>
      (await parts.client()).withOptions({ fetch }).responses.create(body, { signal }),
    read: fromResponsesEvents,
  });
