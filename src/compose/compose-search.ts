import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { withGraph } from '../graph/search-graph.ts';
import type { Model } from '../models/model.ts';
import type { PromptService } from '../prompts/prompt-service.ts';
import { createRetriever } from '../retrieval/create-retriever.ts';
import { createQueryEmbedder } from '../retrieval/embed-query.ts';
import { modelReranker } from '../retrieval/rerankers/model-reranker.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { modelQueryVariants } from '../retrieval/rewrite-query.ts';
import { withDescriptions } from '../retrieval/search-documents.ts';
import { withOutlines } from '../retrieval/with-outlines.ts';
import type { Corpus } from '../store/corpus.ts';
import type { Adapters } from './adapters.ts';
import { instrumentRetriever } from './instrument-adapters.ts';

interface SearchParts {
  readonly adapters: Pick<Adapters, 'store' | 'models' | 'reranker' | 'traces' | 'metrics'>;
  readonly corpus: Corpus;
  readonly embeddings: EmbeddingModel;
  readonly prompts: PromptService;
  /** Model that rewrites queries; undefined without one. */
  readonly fast: Model | undefined;
  readonly report: (message: string, cause: unknown) => void;
}

interface Search {
  /** The corpus, whose documents are found by vectors too. */
  readonly corpus: Corpus;
  readonly retriever: Retriever;
}

/** Wires the search for documents, chunks and rows of the graph. */
export function composeSearch({ adapters, corpus: plain, embeddings, prompts, fast, report }: SearchParts): Search {
  const { store, models, reranker } = adapters;
  const embedQuery = createQueryEmbedder(embeddings);
  const corpus = withDescriptions(plain, { descriptions: store.descriptionSearch, embedder: embeddings, embedQuery });
  const chunkRetriever = createRetriever({
    chunks: store.chunks,
    embedder: embeddings,
    embedQuery,
    variants: fast && modelQueryVariants(fast, prompts),
    reranker:
      reranker && 'model' in reranker ? modelReranker(models.resolve(reranker.model, 'fast'), prompts) : reranker,
  });
  const retriever = withGraph({
    retriever: withOutlines(chunkRetriever, corpus),
    graph: store.graphSearch,
    chunks: corpus,
    embedder: embeddings,
    embedQuery,
    report,
  });
  return { corpus, retriever: instrumentRetriever(retriever, adapters) };
}
