import { z } from 'zod';
import type { SearchExplanation, SearchOutcome } from '../../retrieval/retriever.ts';
import type { WebSearchOutcome } from '../../web/web-search.ts';
import { chunkHit, toChunkHit } from './chunk-record.ts';
import { documentRecord } from './document-record.ts';
import { graphHit, toGraphHit } from './graph-hit.ts';
import { id } from './record-parts.ts';
import type { HitDetail } from './search-settings.ts';
import { toWebSearchResult, webHit, webSearch } from './web-record.ts';

const searchExplanation = z
  .object({
    kind: z.enum(['semantic', 'full_text', 'hybrid']),
    strategy: z.string(),
    searched: z.string().nullable().describe('The standalone query, if the question depended on the conversation.'),
    embedder: z.string().nullable(),
    hybrid_settings: z
      .object({
        full_text_weight: z.number(),
        semantic_weight: z.number(),
        full_text_limit: z.int(),
        rrf_k: z.int(),
      })
      .nullable(),
    fusion: z.enum(['ranks', 'scores']).nullable().describe('Whether the legs were fused by rank or by score.'),
    semantic_hits: z.int().nullable(),
    full_text_hits: z.int().nullable(),
    terms: z.array(z.string()),
    coverage: z
      .object({ score: z.number(), missing: z.array(z.string()) })
      .nullable()
      .describe('Share of the question’s words in the best hit, and the words missing in all first hits.'),
    corrections: z
      .array(z.object({ word: z.string(), instead: z.array(z.string()) }))
      .describe('Words that no chunk contains, and the terms that were searched for instead.'),
    phraseFilters: z
      .object({
        phrases: z.array(z.string()),
        required: z.array(z.string()),
        preferred: z.array(z.string()),
        excluded: z.array(z.string()),
      })
      .nullable()
      .describe('Quoted phrases: those required in every hit, preferred in the first hits, and excluded.'),
    reranker: z.object({ name: z.string(), depth: z.int() }).nullable(),
    dropped: z
      .array(z.object({ id, reason: z.enum(['duplicate', 'max_per_document', 'merged']), of: id.nullable() }))
      .describe('Hits that were removed, why, and the hit that represents them.'),
    milliseconds: z.object({
      embed: z.number(),
      semantic: z.number(),
      full_text: z.number(),
      graph: z.number(),
      rerank: z.number(),
    }),
    notes: z.array(z.string()),
  })
  .meta({ id: 'SearchExplanation' });

/** Kinds of results that were not requested are null; in streams, they are empty lists. */
export const searchResults = z
  .object({
    chunk_search_results: z.array(chunkHit),
    graph_search_results: z.array(graphHit),
    web_page_search_results: z.array(webHit).nullable(),
    web_search_results: z.array(webSearch).nullable(),
    document_search_results: z.array(documentRecord).nullable(),
    generic_tool_result: z.array(z.json()).nullable(),
    notes: z.array(z.string()).exactOptional().describe('Notes on the search, if any.'),
    explanation: searchExplanation.exactOptional().describe('Explanation of the search, on request.'),
  })
  .meta({ id: 'SearchResults' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toSearchResults>]: unknown }>;

/** Search results by the six kinds of the contract (docs/contract.md 4.5); kinds that were not requested are null. */
export function toSearchResults(outcome: SearchOutcome, query: string, detail: HitDetail, web?: WebSearchOutcome) {
  const { kind, notes } = outcome.explanation;
  return {
    chunk_search_results: outcome.chunks.map((chunk) => toChunkHit(chunk, { query, kind, detail })),
    graph_search_results: (outcome.graph ?? []).map((hit) => toGraphHit(hit, { query, detail })),
    web_page_search_results: null,
    web_search_results: web === undefined ? null : [toWebSearchResult(web)],
    document_search_results: null,
    generic_tool_result: null,
    // Addition: notes that are shown even if no explanation was requested.
    ...(notes.length > 0 ? { notes } : {}),
    ...(detail.explain ? { explanation: toExplanation(outcome.explanation) } : {}),
  };
}

/** The same for a stream, in which kinds that were not requested are empty lists. */
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

/** Addition: how the search was performed. */
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
