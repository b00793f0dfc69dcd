import type { Quotas } from '../access/quotas.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { createEnrichment } from '../ingest/enrich/enrichment.ts';
import { createIngestor } from '../ingest/ingest-document.ts';
import { createIngestionFeed, type IngestionFeed } from '../ingest/ingestion-feed.ts';
import { createIngestionService, type IngestionService } from '../ingest/ingestion-service.ts';
import type { Ingestor } from '../ingest/ingestor.ts';
import { createSharedIngestionFeed } from '../ingest/shared-ingestion-feed.ts';
import { createSourceService, type SourceService } from '../ingest/sources/source-service.ts';
import { withinQuota } from '../ingest/within-quota.ts';
import type { PromptService } from '../prompts/prompt-service.ts';
import type { Corpus } from '../store/corpus.ts';
import type { CollectionRecords } from '../store/records.ts';
import { tracedIngestor } from '../telemetry/traced.ts';
import type { Adapters } from './adapters.ts';

interface IngestionParts {
  readonly adapters: Adapters;
  readonly corpus: Corpus;
  readonly collections: CollectionRecords;
  readonly quotas: Quotas;
  readonly embeddings: EmbeddingModel;
  readonly prompts: PromptService;
  readonly report: (message: string, cause?: unknown) => void;
}

interface Ingestion {
  readonly feed: IngestionFeed;
  readonly ingestor: Ingestor;
  readonly ingestions: IngestionService;
  readonly followed: SourceService;
}

/** Wires the ingestion of documents: from uploads, through the queue, and from followed sources. */
export function composeIngestion(parts: IngestionParts): Ingestion {
  const { adapters, corpus, collections, quotas, embeddings, prompts, report } = parts;
  const { store, models, readers, settings, traces, web } = adapters;
  const { sharedState } = store;
  const feed = sharedState ? createSharedIngestionFeed(sharedState.ingestions, report) : createIngestionFeed();
  const enrichment = createEnrichment({
    models,
    contexts: store.contexts,
    templateOf: (name) => prompts.get(name).template,
    prices: settings.prices,
    writesSummaries: settings.writesSummaries,
  });
  const withQuotas = withinQuota(
    createIngestor({ ...store, corpus, readers, collections, embeddings, feed, enrichment }),
    quotas,
  );
  const ingestor = traces ? tracedIngestor(withQuotas, traces) : withQuotas;
  const { takesTasks } = settings;
  const ingestions = createIngestionService({
    queue: store.queue,
    ingestor,
    feed,
    report,
    queuesByDefault: settings.queuesUploads || !takesTasks,
    takesTasks,
  });
  const followed = createSourceService({
    corpus,
    ingestor,
    collections,
    sources: store.sources,
    records: store.followed,
    others: store.others,
    web: web?.sites,
    network: web?.network,
    mcp: adapters.mcpResources,
    secrets: adapters.secrets,
    users: store.accounts.users,
    allowedFolders: settings.allowedFolders,
    dataFolder: adapters.deployment.data,
    report,
    maxFileBytes: readers.maxFileBytes,
  });
  return { feed, ingestor, ingestions, followed };
}
