import { delegatingEmbedder } from '../embeddings/delegating-embedder.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { splitName, tracedLog, tracedMethods, tracedModels } from '../telemetry/traced.ts';
import { inSpan, type SpanStart, type Traces } from '../telemetry/traces.ts';
import type { Adapters } from './adapters.ts';

/** Wraps the adapters with spans for model calls, search legs, reranking, file reading and Python runs. */
export function tracedAdapters(adapters: Adapters, traces: Traces): Adapters {
  const { store, reranker, readers, sandbox } = adapters;
  return {
    ...adapters,
    models: tracedModels(adapters.models, traces),
    store: {
      ...store,
      chunks: tracedMethods(
        store.chunks,
        {
          nearest: { name: 'search semantic' },
          nearestRanking: { name: 'search semantic' },
          matching: { name: 'search full_text' },
          ranking: { name: 'search full_text' },
          read: { name: 'search read' },
        },
        traces,
      ),
      graphSearch: tracedMethods(store.graphSearch, { search: { name: 'search graph' } }, traces),
    },
    reranker:
      reranker === undefined || 'model' in reranker
        ? reranker
        : tracedMethods(reranker, { rank: ({ name }) => modelSpan('rerank', name) }, traces),
    readers: tracedMethods(readers, { prepare: { name: 'read file' } }, traces),
    ...(sandbox && { sandbox: tracedMethods(sandbox, { run: { name: 'run python' } }, traces) }),
    log: tracedLog(adapters.log, traces),
  };
}

/** Spans of an embedder's calls, with the tokens that its provider reports. */
export function tracedEmbeddings(model: EmbeddingModel, traces: Traces): EmbeddingModel {
  const embed: EmbeddingModel['embed'] = (texts, kind, signal, options) =>
    inSpan(traces, modelSpan('embeddings', model.name), async (span) => {
      let tokens: number | undefined;
      const onTokens = (more: number) => {
        tokens = (tokens ?? 0) + more;
        options?.onTokens?.(more);
      };
      try {
        const vectors = await model.embed(texts, kind, signal, { ...options, onTokens });
        span.set({ 'citewell.results': vectors.length });
        return vectors;
      } finally {
        span.set({ 'gen_ai.usage.input_tokens': tokens });
      }
    });
  // The other members may change, since re-embedding replaces the model.
  return delegatingEmbedder(() => model, embed);
}

/** The span of a call to a model that generates no text, such as an embedder. */
function modelSpan(operation: string, qualified: string): SpanStart {
  const [provider, name] = splitName(qualified);
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': name,
  };
  return { name: `${operation} ${name}`, attributes };
}
