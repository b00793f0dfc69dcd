import type { Adapters } from '../compose/adapters.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ModelRegistry } from '../models/model.ts';
import { parseModelName } from '../models/model-name.ts';
import { httpReranker } from '../retrieval/rerankers/http-reranker.ts';
import { localReranker } from '../retrieval/rerankers/local-reranker.ts';

export interface RerankerParts {
  readonly settings: Config['reranker'];
  readonly models: ModelRegistry;
  /** Folder of installed local models. */
  readonly modelsFolder: string;
}

/** The configured reranker: `local/…`, `cohere/…`, `jina/…`, `tei/…` or a language model. Throws `not_configured`. */
export function openReranker({ settings, models, modelsFolder }: RerankerParts): Adapters['reranker'] {
  if (settings === undefined) return undefined;
  const { provider, name: model } = parseModelName(settings.name);
  switch (provider) {
    case 'local':
      return localReranker({ model, modelsFolder });
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
      return { model: models.resolve(settings.name, 'fast').name };
  }
}

const ADDRESSES = { cohere: 'https://api.cohere.com/v2', jina: 'https://api.jina.ai/v1' } as const;

const missing = (name: string, variable: string): ServiceError =>
  new ServiceError(
    'not_configured',
    `CITEWELL_RERANKER is ${name}, which needs ${variable}. Set it, or leave both out.`,
  );
