import type { Retriever } from '../retrieval/retriever.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import {
  observedEmbedders,
  observedGraphSearch,
  observedModels,
  observedRetriever,
  observedSandbox,
} from '../telemetry/observed.ts';
import { tracedRetriever } from '../telemetry/traced.ts';
import type { Adapters } from './adapters.ts';
import { tracedAdapters } from './traced-adapters.ts';

/** Wraps the adapters so that their calls are recorded in the traces and metrics, where these are configured. */
export function instrumentAdapters(adapters: Adapters): Adapters {
  const { traces, metrics } = adapters;
  const traced = traces ? tracedAdapters(adapters, traces) : adapters;
  return metrics ? observedAdapters(traced, metrics) : traced;
}

function observedAdapters(adapters: Adapters, metrics: Metrics): Adapters {
  const { store, models, embedders, sandbox, settings } = adapters;
  return {
    ...adapters,
    models: observedModels(models, settings.prices, metrics),
    embedders: observedEmbedders(embedders, settings.prices, metrics),
    store: { ...store, graphSearch: observedGraphSearch(store.graphSearch, metrics) },
    ...(sandbox && { sandbox: observedSandbox(sandbox, metrics) }),
  };
}

/** Wraps the retriever so that its searches are recorded in the traces and metrics, where these are configured. */
export function instrumentRetriever(
  retriever: Retriever,
  { traces, metrics }: Pick<Adapters, 'traces' | 'metrics'>,
): Retriever {
  const counted = metrics ? observedRetriever(retriever, metrics) : retriever;
  return traces ? tracedRetriever(counted, traces) : counted;
}
