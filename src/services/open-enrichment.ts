import type { Config } from '../config.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { createEnrichment, type Enrichment } from '../ingest/enrich/enrichment.ts';
import { createSummaryService, type SummaryService } from '../ingest/enrich/summary-service.ts';
import type { ModelRegistry } from '../models/model.ts';
import { listPrices } from '../models/prices.ts';
import type { PromptService } from '../prompts/prompt-service.ts';
import { describeInSpace } from '../retrieval/describe-in-space.ts';
import type { Corpus } from '../store/corpus.ts';
import type { Store } from '../store/sql/open-store.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';

interface OpenEnrichment {
  readonly config: Pick<Config, 'prices' | 'summaries'>;
  readonly store: Pick<Store, 'contexts' | 'summaries' | 'descriptions'>;
  readonly corpus: Corpus;
  readonly models: ModelRegistry;
  readonly prompts: PromptService;
  readonly embeddings: EmbeddingModel;
  readonly changes: CorpusWatch;
  readonly warn: (message: string, cause?: unknown) => void;
}

/** What models add to documents: as they come in, and beside everything else once they can be seen. */
export function openEnrichment(parts: OpenEnrichment): { enrichment: Enrichment; summaries: SummaryService } {
  const { config, store, corpus, models, prompts, embeddings, changes, warn } = parts;
  const enrichment = createEnrichment({
    models,
    contexts: store.contexts,
    templateOf: (name) => prompts.get(name).template,
    prices: { ...listPrices, ...config.prices },
    writesSummaries: config.summaries === 'model',
  });
  const summaries = createSummaryService({
    records: store.summaries,
    corpus,
    models,
    prompts,
    changes,
    onIdle: async (signal) => {
      try {
        await describeInSpace(store.descriptions, embeddings, signal);
      } catch (error) {
        // Documents are found by their words meanwhile, and the next change tries again.
        if (!signal.aborted) warn('What documents are described by could not be embedded.', error);
      }
    },
    report: warn,
  });
  return { enrichment, summaries };
}
