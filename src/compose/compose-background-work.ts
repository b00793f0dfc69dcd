import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { embedNames } from '../graph/embed-names.ts';
import { createGraphService, type GraphService } from '../graph/graph-service.ts';
import { createSummaryService, type SummaryService } from '../ingest/enrich/summary-service.ts';
import type { PromptService } from '../prompts/prompt-service.ts';
import { embedDescriptions } from '../retrieval/embed-descriptions.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import type { Adapters } from './adapters.ts';

interface BackgroundWorkParts {
  readonly adapters: Pick<Adapters, 'store' | 'models' | 'graphThread' | 'settings'>;
  readonly changes: CorpusWatch;
  readonly embeddings: EmbeddingModel;
  readonly prompts: PromptService;
  readonly report: (message: string, cause?: unknown) => void;
}

interface BackgroundWork {
  readonly graph: GraphService;
  readonly summaries: SummaryService;
}

/** Wires the work that follows the ingestion of a document: extraction of its graph, and its summary. */
export function composeBackgroundWork(parts: BackgroundWorkParts): BackgroundWork {
  const { adapters, changes, embeddings, prompts, report } = parts;
  const { store, models, settings } = adapters;

  function whenIdle(work: (signal: AbortSignal) => Promise<unknown>, failure: string) {
    return async (signal: AbortSignal) => {
      try {
        await work(signal);
      } catch (error) {
        if (!signal.aborted) report(failure, error);
      }
    };
  }

  return {
    graph: createGraphService({
      records: store.graphs,
      documents: store.documentGraphs,
      collections: store.collections,
      thread: adapters.graphThread,
      models,
      prompts,
      prices: settings.prices,
      changes,
      settings: settings.graph,
      // If it fails, names are found by full text, and the next change triggers a retry.
      onIdle: whenIdle(
        (signal) => embedNames(store.graphNames, embeddings, signal),
        'The names of the graph could not be embedded.',
      ),
      report,
    }),
    summaries: createSummaryService({
      records: store.summaries,
      models,
      prompts,
      changes,
      // If it fails, documents are found by full text, and the next change triggers a retry.
      onIdle: whenIdle(
        (signal) => embedDescriptions(store.descriptions, embeddings, signal),
        'The document descriptions could not be embedded.',
      ),
      report,
    }),
  };
}
