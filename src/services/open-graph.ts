import type { Config } from '../config.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { embedNames } from '../graph/embed-names.ts';
import { createGraphService, type GraphService } from '../graph/graph-service.ts';
import { createGraphThread } from '../graph/graph-thread.ts';
import type { ModelRegistry } from '../models/model.ts';
import { listPrices } from '../models/prices.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { Store } from '../store/sql/open-store.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';

export interface GraphParts {
  readonly settings: Pick<Config, 'graph' | 'prices'>;
  readonly store: Pick<Store, 'graphs' | 'documentGraphs' | 'graphNames' | 'collections'>;
  readonly models: ModelRegistry;
  readonly embeddings: EmbeddingModel;
  readonly changes: CorpusWatch;
  readonly prompts: PromptTexts;
  readonly warn: (message: string, cause?: unknown) => void;
}

/** The graph of the corpus, with its thread; nothing is started before it is used. */
export function openGraph({ settings, store, models, embeddings, changes, prompts, warn }: GraphParts): GraphService {
  const { graphs, documentGraphs, graphNames, collections } = store;
  return createGraphService({
    records: graphs,
    documents: documentGraphs,
    collections,
    thread: createGraphThread(),
    models,
    prompts,
    prices: { ...listPrices, ...settings.prices },
    changes,
    settings: settings.graph,
    onIdle: async (signal) => {
      try {
        await embedNames(graphNames, embeddings, signal);
      } catch (error) {
        // The names are found by their words meanwhile, and the next change tries again.
        if (!signal.aborted) warn('The names of the graph could not be embedded.', error);
      }
    },
    report: warn,
  });
}
