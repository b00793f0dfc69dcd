import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ModelRegistry } from '../models/model.ts';
import { parseModelName } from '../models/model-name.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { Reranker } from '../retrieval/rerank.ts';
import { httpReranker } from '../retrieval/rerankers/http-reranker.ts';
import { modelReranker } from '../retrieval/rerankers/model-reranker.ts';

export interface RerankerParts {
  readonly settings: Config['reranker'];
  readonly models: ModelRegistry;
  readonly prompts: PromptTexts;
}

/** The reranker that is set: `cohere/…`, `jina/…` or `tei/…`, else a language model that judges. Throws `not_configured`. */
export function openReranker({ settings, models, prompts }: RerankerParts): Reranker | undefined {
  if (settings === undefined) return undefined;
  const { provider, name: model } = parseModelName(settings.name);
  switch (provider) {
    case 'cohere':
    case 'jina': {
      const { apiKey, baseUrl } = settings[provider];
      if (apiKey === undefined && baseUrl === undefined)
        throw missing(settings.name, `${provider.toUpperCase()}_API_KEY`);
      return httpReranker({
        dialect: provider,
        model,
        baseUrl: baseUrl ?? ADDRESSES[provider],
        ...(apiKey !== undefined && { apiKey }),
      });
    }
    case 'tei': {
      const { apiKey, baseUrl } = settings.tei;
      if (baseUrl === undefined) throw missing(settings.name, 'TEI_BASE_URL');
      return httpReranker({ dialect: 'tei', model, baseUrl, ...(apiKey !== undefined && { apiKey }) });
    }
    default:
      return modelReranker(models.resolve(settings.name, 'fast'), prompts);
  }
}

const ADDRESSES = { cohere: 'https://api.cohere.com/v2', jina: 'https://api.jina.ai/v1' } as const;

const missing = (name: string, variable: string): ServiceError =>
  new ServiceError(
    'not_configured',
    `CITEWELL_RERANKER is ${name}, which needs ${variable}. Set it, or leave both out.`,
  );
