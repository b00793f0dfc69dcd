import type { Config } from '../config.ts';
import type { Metadata } from '../documents/document.ts';
import { defaultHttpLimits } from '../http/http-services.ts';
import type { ModelRegistry, ModelSlot } from '../models/model.ts';
import { defaultSearchSettings } from '../retrieval/search-settings.ts';
import { placeOf } from '../store/originals/s3/s3-settings.ts';

interface ModelsInUse {
  readonly models: Pick<ModelRegistry, 'defaultName'>;
  readonly embedder: string;
}

/**
 * Settings visible to superusers, in R2R's groups (docs/contract.md 12). An explicit list, so that a new setting, which
 * may be a secret, is not exposed by default.
 */
export function shownSettings(config: Config, { models, embedder }: ModelsInUse): Metadata {
  const modelOf = (slot: ModelSlot) => models.defaultName(slot);
  return {
    app: {
      quality_llm: modelOf('quality'),
      fast_llm: modelOf('fast'),
      reasoning_llm: modelOf('reasoning'),
      fallback_llm: config.models.fallback ?? null,
      context_tokens: config.contextTokens,
      default_max_upload_size: defaultHttpLimits.file,
    },
    agent: {
      resume_seconds: config.resumeSeconds,
      after_untrusted: [...config.afterUntrusted],
      mcp_servers: config.externalServers.map(({ name }) => name),
    },
    auth: {
      provider: 'citewell',
      require_authentication: config.access.mode === 'required',
    },
    database: {
      provider: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
      vector_index: vectorIndexOf(config),
      originals: originalsPlace(config),
    },
    embedding: { base_model: embedder, preferred: config.embeddingModel ?? null },
    ingestion: {
      provider: 'citewell',
      mode: config.ingest,
      summaries: config.summaries,
      read_images: config.images.reader,
      allowed_folders: [...config.allowedFolders],
    },
    search: {
      limit: defaultSearchSettings.limit,
      index_measure: defaultSearchSettings.measure,
      search_strategy: defaultSearchSettings.strategy,
    },
    logging: { level: config.logLevel },
  };
}

const originalsPlace = ({ originals: { place } }: Config): string =>
  place === undefined ? 'database' : placeOf(place);

function vectorIndexOf({ vectorIndex, chroma }: Config): string {
  if (vectorIndex === 'pgvector') return vectorIndex;
  return chroma === undefined ? 'chroma, embedded' : 'chroma, remote';
}
