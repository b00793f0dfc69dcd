import { ServiceError } from '../errors.ts';
import { isTokenVectors } from '../local-models/model-folder.ts';
import { parseModelName } from '../models/model-name.ts';
import { openAiClient } from '../models/openai/openai-provider.ts';
import { configuredProviders, findProvider, type ProviderSettings } from '../models/provider-settings.ts';
import type { RetryPolicy } from '../models/retry-policy.ts';
import { LEARNED_EMBEDDING, LEXICAL_EMBEDDING, STATIC_EMBEDDING } from './built-in-names.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { createLexicalHash } from './lexical-hash.ts';
import { localOnnx } from './local-onnx.ts';
import { openAiEmbeddings } from './openai-embeddings.ts';
import { localStatic, staticEmbeddings } from './static/static-embeddings.ts';

/** Settings of embedding models. `Config` satisfies it except for `modelsFolder`. */
export interface EmbeddingSettings extends ProviderSettings {
  /** Folder of installed local models. */
  readonly modelsFolder: string;
  readonly retry?: RetryPolicy | undefined;
}

/** The default embedder for the configured providers; the packaged one when no provider offers embeddings. */
export function defaultEmbeddingName(settings: ProviderSettings): string {
  const openai = configuredProviders(settings).find((provider) => provider.name === 'openai');
  return openai?.isOpenAi ? 'openai/text-embedding-3-small' : STATIC_EMBEDDING;
}

/**
 * Creates the embedding model of that name: `builtin/static-v1`, `builtin/lexical-hash-v1`, `openai/<model>` or
 * `<provider>/<model>`, with `@<dimensions>` for shorter vectors, or `local/<installed model or folder>`. Does not load
 * or connect anything yet. Throws `unknown_model` or `not_configured`.
 */
export function createEmbeddingModel(name: string, settings: EmbeddingSettings): EmbeddingModel {
  const parsed = parseModelName(name);
  if (parsed.provider === undefined || parsed.name === '') {
    throw new ServiceError(
      'unknown_model',
      `"${name}" is not an embedding model. Expected <provider>/<model>, for example openai/text-embedding-3-small or ${STATIC_EMBEDDING}.`,
    );
  }
  switch (parsed.provider) {
    case 'builtin':
      if (name.trim() === STATIC_EMBEDDING) return staticEmbeddings();
      if (name.trim() === LEXICAL_EMBEDDING) return createLexicalHash();
      if (name.trim() === LEARNED_EMBEDDING) {
        throw new ServiceError(
          'not_configured',
          `${LEARNED_EMBEDDING} is learned from a corpus, and there is none here.`,
        );
      }
      throw new ServiceError(
        'unknown_model',
        `"${name}" is not built in; ${STATIC_EMBEDDING}, ${LEARNED_EMBEDDING} and ${LEXICAL_EMBEDDING} are.`,
      );
    case 'local':
      return isTokenVectors(parsed.name, settings.modelsFolder)
        ? localStatic({ model: parsed.name, modelsFolder: settings.modelsFolder })
        : localOnnx({ model: parsed.name, modelsFolder: settings.modelsFolder });
    case 'anthropic':
      throw new ServiceError(
        'unknown_model',
        `Anthropic has no embedding models (asked for "${name}"). Use openai/<model>, ollama/<model>, local/<model> or ${STATIC_EMBEDDING}.`,
      );
    default: {
      const provider = findProvider(configuredProviders(settings), parsed.provider, name);
      const { model, dimensions } = readDimensions(parsed.name);
      return openAiEmbeddings({ provider, client: openAiClient(provider), model, dimensions, retry: settings.retry });
    }
  }
}

function readDimensions(name: string): { readonly model: string; readonly dimensions: number | undefined } {
  const [, model, dimensions] = /^(.+)@(\d{1,5})$/.exec(name) ?? [];
  return model === undefined ? { model: name, dimensions: undefined } : { model, dimensions: Number(dimensions) };
}
