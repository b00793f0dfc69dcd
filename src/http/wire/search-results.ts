import type { SearchExplanation, SearchOutcome } from '../../retrieval/retriever.ts';
import type { WebSearchOutcome } from '../../web/web-search.ts';
import { toChunkHit } from './chunk-record.ts';
import { toGraphHit } from './graph-hit.ts';
import type { HitDetail } from './search-settings.ts';
import { toWebSearchResult } from './web-record.ts';

/** What a search found in the six kinds of the contract (docs/contract.md 4.5); kinds nobody asked are null. */
export function toSearchResults(outcome: SearchOutcome, query: string, detail: HitDetail, web?: WebSearchOutcome) {
  const { kind, notes } = outcome.explanation;
  return {
    chunk_search_results: outcome.chunks.map((chunk) => toChunkHit(chunk, { query, kind, detail })),
    graph_search_results: (outcome.graph ?? []).map((hit) => toGraphHit(hit, { query, detail })),
    web_page_search_results: null,
    web_search_results: web === undefined ? null : [toWebSearchResult(web)],
    document_search_results: null,
    generic_tool_result: null,
    // Ours: what the caller should know even without having asked for the explanation.
    ...(notes.length > 0 ? { notes } : {}),
    ...(detail.explain ? { explanation: toExplanation(outcome.explanation) } : {}),
  };
}

/** The same for a stream, where kinds nobody asked are empty lists. */
export function toStreamedSearchResults(
  outcome: SearchOutcome,
  query: string,
  detail: HitDetail,
  web?: WebSearchOutcome,
) {
  return {
    ...toSearchResults(outcome, query, detail),
    web_page_search_results: [],
    web_search_results: web === undefined ? [] : [toWebSearchResult(web)],
    document_search_results: [],
    generic_tool_result: [],
  };
}

/** Ours: how the search was carried out. */
function toExplanation(explanation: SearchExplanation) {
  const { hybrid, milliseconds } = explanation;
  return {
    kind: explanation.kind,
    strategy: explanation.strategy,
    searched: explanation.searched ?? null,
    embedder: explanation.embedder,
    hybrid_settings:
      hybrid === null
        ? null
        : {
            full_text_weight: hybrid.fullTextWeight,
            semantic_weight: hybrid.semanticWeight,
            full_text_limit: hybrid.fullTextLimit,
            rrf_k: hybrid.rrfK,
          },
    fusion: explanation.fusion,
    semantic_hits: explanation.semanticHits,
    full_text_hits: explanation.fullTextHits,
    terms: explanation.terms,
    coverage: explanation.coverage ?? null,
    corrections: explanation.corrections ?? [],
    phraseFilters: explanation.phraseFilters ?? null,
    reranker: explanation.reranker ?? null,
    dropped: (explanation.dropped ?? []).map(({ id, reason, of }) => ({ id, reason, of: of ?? null })),
    milliseconds: {
      embed: milliseconds.embed,
      semantic: milliseconds.semantic,
      full_text: milliseconds.fullText,
      graph: milliseconds.graph ?? 0,
      rerank: milliseconds.rerank ?? 0,
    },
    notes: explanation.notes,
  };
}
